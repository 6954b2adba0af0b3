#include "core/plugin/search_path.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/plugin/fixtures.hpp"

namespace convoy::plugin {
namespace {

namespace fs = std::filesystem;

TEST(SearchPath, HasTheFlagThenTheEnvironmentThenTheProgramThenThePrefix) {
  const auto entries = search_path({.flag = "/a:/b/x.so",
                                    .environment = ":/c:",
                                    .module_directory = "/opt/convoy/bin",
                                    .install_prefix = "/usr/local"});
  std::vector<std::string> paths;
  paths.reserve(entries.size());
  for (const SearchEntry& entry : entries) paths.push_back(entry.path.string());
  EXPECT_EQ(paths,
            (std::vector<std::string>{"/a", "/b/x.so", "/c", "/opt/convoy/lib/convoy/plugins",
                                      "/usr/local/lib/convoy/plugins"}));
  EXPECT_EQ(entries[0].origin, SearchOrigin::kFlag);
  EXPECT_EQ(entries[2].origin, SearchOrigin::kEnvironment);
  EXPECT_EQ(entries[3].origin, SearchOrigin::kExecutable);
  EXPECT_EQ(entries[4].origin, SearchOrigin::kInstallPrefix);
}

TEST(SearchPath, LooksInEveryPlaceOnce) {
  const auto entries = search_path({.flag = "/usr/local/lib/convoy/plugins",
                                    .environment = "",
                                    .module_directory = "/usr/local/bin",
                                    .install_prefix = "/usr/local"});
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].origin, SearchOrigin::kFlag);
}

TEST(SearchPath, OfThisProcessReadsTheEnvironment) {
  ::setenv("CONVOY_PLUGIN_PATH", "/from/the/environment", 1);
  EXPECT_EQ(process_search_settings("/flag").environment, "/from/the/environment");
  ::unsetenv("CONVOY_PLUGIN_PATH");
  EXPECT_EQ(process_search_settings("/flag").environment, "");
  EXPECT_TRUE(fs::exists(module_directory() / "plugin_test")) << module_directory();
}

TEST(SearchPath, WithoutProcSaysWhatToDo) {
  try {
    folder_of_program("/nowhere/self/exe");
    FAIL() << "a folder was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    EXPECT_NE(std::string(error.what()).find("mount /proc"), std::string::npos) << error.what();
  }
}

TEST(Trust, IsGivenToFilesOfTheUser) {
  TemporaryDirectory directory;
  write_bytes(directory / "x.so", "");
  EXPECT_FALSE(trust_problem(directory / "x.so").has_value());
  EXPECT_FALSE(trust_problem(directory.path()).has_value());
}

TEST(Trust, IsRefusedWhenEverybodyMayWrite) {
  TemporaryDirectory directory;
  write_bytes(directory / "x.so", "");
  fs::permissions(directory / "x.so", fs::perms::others_write, fs::perm_options::add);
  const auto problem = trust_problem(directory / "x.so");
  ASSERT_TRUE(problem.has_value());
  EXPECT_NE(problem->find("every user may write to the file"), std::string::npos) << *problem;
}

TEST(Trust, IsRefusedToFilesOfOthers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  TemporaryDirectory directory;
  write_bytes(directory / "x.so", "");
  ASSERT_EQ(::chown((directory / "x.so").c_str(), 12345, static_cast<gid_t>(-1)), 0);
  const auto problem = trust_problem(directory / "x.so");
  ASSERT_TRUE(problem.has_value());
  EXPECT_NE(problem->find("belongs to user 12345"), std::string::npos) << *problem;
}

}  // namespace
}  // namespace convoy::plugin
