#include "core/cli/flags/flag_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "tests/cli/parsing.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::cli {
namespace {

using ::testing::ElementsAre;
using Arguments = std::vector<std::string>;

// A file in the test's folder with these lines.
std::string written(const std::string& name, const std::string& text) {
  std::string path = scratch_folder("flag_file") + "/" + name;
  std::ofstream(path) << text;
  return path;
}

Arguments expanded(const Arguments& arguments, const Variables& variables = {}) {
  return expand_flag_files(arguments, environment_of(variables));
}

Failure failure_with(const std::string& path) {
  return failure_of([&] { expanded({"--flagfile=" + path}); });
}

TEST(FlagFile, StandsForTheFlagsInItWhereItIsNamed) {
  const std::string path =
      written("flags.txt", "# what we usually run\n--steps=20\n\n  --eager  \n--folder=a b\n");
  for (const Arguments& form :
       {Arguments{"--flagfile=" + path}, {"-flagfile=" + path}, {"--flagfile", path}}) {
    Arguments arguments = {"--steps=10"};
    arguments.insert(arguments.end(), form.begin(), form.end());
    arguments.push_back("--rate=1");
    EXPECT_THAT(expanded(arguments),
                ElementsAre("--steps=10", "--steps=20", "--eager", "--folder=a b", "--rate=1"));
  }
}

TEST(FlagFile, OfTheEnvironmentComesBeforeTheFirstFlag) {
  const std::string path = written("environment.txt", "--steps=20\n");
  EXPECT_THAT(expanded({"name", "--steps=30"}, {{"CONVOY_FLAGFILE", path}}),
              ElementsAre("name", "--steps=20", "--steps=30"));
}

TEST(FlagFile, MayNameOthers) {
  const std::string outer = written("outer.txt", "");
  const std::string inner = outer + ".inner";
  std::ofstream(outer) << "--eager\n--flagfile=" << inner;
  std::ofstream(inner) << "--steps=20";
  EXPECT_THAT(expanded({"--flagfile=" + outer}), ElementsAre("--eager", "--steps=20"));
}

// Five files, each of which names the next one a hundred times.
TEST(FlagFile, ThatAreNamedAgainAndAgainAreRefused) {
  const std::string path = written("many.txt", "");
  for (int i = 0; i < 5; ++i) {
    std::ofstream file(path + std::to_string(i));
    for (int line = 0; i < 4 && line < 100; ++line) file << "--flagfile=" << path << i + 1 << '\n';
  }
  EXPECT_TRUE(failure_with(path + "0").mentions("more than 1000 files to read"));
}

TEST(FlagFile, MayBeAPipeWhichIsReadOnce) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "--steps=20\n", 11), 11);
  ::close(ends[1]);
  EXPECT_THAT(expanded({"--flagfile=/dev/fd/" + std::to_string(ends[0])}),
              ElementsAre("--steps=20"));
  ::close(ends[0]);
}

TEST(FlagFile, IsOnlyTextBehindTwoDashes) {
  EXPECT_THAT(expanded({"--workers=2", "--", "--flagfile=/no/such/file"}),
              ElementsAre("--workers=2", "--", "--flagfile=/no/such/file"));
}

TEST(FlagFile, ThatIsWrongIsNamed) {
  EXPECT_TRUE(failure_with("/no/such/file").mentions("--flagfile=/no/such/file"));
  EXPECT_TRUE(failure_with("").mentions("--flagfile needs a value"));
  EXPECT_TRUE(failure_with(written("words.txt", "--steps=20\nsteps=30\n"))
                  .mentions("words.txt:2: 'steps=30'"));
  const std::string circle = written("circle.txt", "");
  std::ofstream(circle) << "--flagfile=" << circle;
  EXPECT_TRUE(failure_with(circle).mentions("a cycle"));
}

}  // namespace
}  // namespace convoy::cli
