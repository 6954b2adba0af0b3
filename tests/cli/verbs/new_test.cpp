// convoy new, and what an author does next: the project is built against an installed SDK by a
// separate CMake, and the plug-in is loaded.

#include "core/cli/verbs/verbs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/plugin/library.hpp"
#include "core/plugin/model_plugin.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "tests/cli/verb_outcome.hpp"
#include "tests/plugin/fixtures.hpp"

namespace convoy::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::string make(const std::vector<std::string>& arguments) {
  return said_by(run_new, arguments);
}

void run(const std::string& command, const fs::path& log) {
  const int status = std::system((command + " > '" + log.string() + "' 2>&1").c_str());
  ASSERT_EQ(status, 0) << command << "\n" << read_bytes(log);
}

// Writes the project, installs the SDK, builds the one against the other.
fs::path build_project(const std::string& kind, const TemporaryDirectory& work) {
  const std::string project = (work / "project").string();
  const std::string prefix = (work / "prefix").string();
  const std::string cmake = CONVOY_CMAKE;
  make({kind, "my_own", "--directory=" + project});
  run(cmake + " --install " CONVOY_BINARY_DIR " --component sdk --prefix " + prefix, work / "log");
  run(cmake + " -S " + project + " -B " + project +
          "/build -DCMAKE_CXX_COMPILER=" CONVOY_COMPILER " -DCMAKE_PREFIX_PATH=" + prefix,
      work / "log");
  run(cmake + " --build " + project + "/build", work / "log");
  return work / "project" / "build" / "my_own.so";
}

TEST(New, WritesASmallProject) {
  TemporaryDirectory work;
  for (const std::string kind : {"strategy", "model"}) {
    const fs::path project = work / kind;
    const std::string text = make({kind, "my_scheme", "--directory", project.string()});
    EXPECT_THAT(text, HasSubstr((project / "my_scheme.cpp").string()));
    const std::string source = read_bytes(project / "my_scheme.cpp");
    EXPECT_THAT(source, HasSubstr("class MyScheme : public convoy::"));
    EXPECT_THAT(source, HasSubstr("\"name=my_scheme\""));
    EXPECT_THAT(source, Not(HasSubstr("@")));
    EXPECT_LE(std::count(source.begin(), source.end(), '\n'), 60);
    const std::string build = read_bytes(project / "CMakeLists.txt");
    EXPECT_EQ(std::count(build.begin(), build.end(), '\n'), 4) << build;
    EXPECT_TRUE(fs::exists(project / "README.md"));
  }
}

TEST(New, WritesADeviceInSmallFiles) {
  TemporaryDirectory work;
  make({"device", "my_card", "--directory=" + (work / "device").string()});
  const std::string source = read_bytes(work / "device" / "my_card.cpp");
  EXPECT_THAT(source, HasSubstr("class MyCard : public convoy::Device"));
  EXPECT_THAT(source, HasSubstr("\"name=my_card\""));
  for (const auto& file : fs::directory_iterator(work / "device")) {
    const std::string text = read_bytes(file.path());
    EXPECT_THAT(text, Not(HasSubstr("@"))) << file.path();
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 200) << file.path();
  }
}

TEST(New, OverwritesNothing) {
  TemporaryDirectory work;
  write_bytes(work / "CMakeLists.txt", "mine");
  expect_error(ExitCode::kUsage, {"is not an empty directory; nothing was written"}, [&] {
    make({"model", "x", "--directory=" + work.path().string()});
  });
  EXPECT_EQ(read_bytes(work / "CMakeLists.txt"), "mine");
  EXPECT_FALSE(fs::exists(work / "x.cpp"));
}

TEST(New, RefusesNamesAndKindsThatItCannotServe) {
  expect_error(ExitCode::kUsage, {"'My-Scheme' cannot name"}, [] {
    make({"strategy", "My-Scheme"});
  });
  // No manifest may have it.
  expect_error(ExitCode::kUsage, {"at most 64 small letters"}, [] {
    make({"strategy", std::string(65, 'k')});
  });
  for (const char* name : {"all", "clean", "install"})
    expect_error(ExitCode::kUsage, {"CMake has a target of that name"}, [&] {
      make({"model", name});
    });
  expect_error(ExitCode::kUsage, {"convoy's own choice"}, [] { make({"strategy", "auto"}); });
  expect_error(ExitCode::kUsage, {"no template for 'planet'"}, [] { make({"planet", "x"}); });
  expect_error(ExitCode::kUsage, {"convoy new strategy my_scheme"}, [] { make({"strategy"}); });
}

TEST(New, StrategyBuildsOutsideAndLoads) {
  TemporaryDirectory work;
  const fs::path library = build_project("strategy", work);
  if (HasFatalFailure()) return;
  plugin::PluginHost host;
  plugin::StrategyPlugin strategy(host.load_strategy(plugin::read_plugin(library)),
                                  {{"algorithm", "ring"}});
  EXPECT_EQ(strategy.manifest().name, "my_own");
  EXPECT_EQ(strategy.manifest().claim, "synchronous");
}

TEST(New, ModelBuildsOutsideAndLoads) {
  TemporaryDirectory work;
  const fs::path library = build_project("model", work);
  if (HasFatalFailure()) return;
  plugin::PluginHost host;
  plugin::ModelPlugin model(host.load_model(plugin::read_plugin(library)), {});
  EXPECT_EQ(model.info().image_size, 32u);
}

}  // namespace
}  // namespace convoy::cli
