#include "core/cli/verbs/children/child_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace convoy::cli {
namespace {

using ::testing::ElementsAre;

TEST(ChildEnvironment, HasNoFlagsThatAreAboutAllRunsOrForOne) {
  const std::array<const char*, 14> environment = {"HOME=/root",
                                                   "CONVOY_REPEAT=2",
                                                   "CONVOY_AGAINST=--batch_size=2",
                                                   "CONVOY_MODEL=lenet",
                                                   "CONVOY_AGAINST_PROGRAM=/old/convoy",
                                                   "CONVOY_REPORT=x.html",
                                                   "CONVOY_OUTPUT_FILE=x.json",
                                                   "CONVOY_FLAGFILE=flags.txt",
                                                   "CONVOY_TRAIN_DIR=checkpoints",
                                                   "CONVOY_TRACE_FILE=trace.json",
                                                   "CONVOY_REPEATED=kept",
                                                   "no variable",
                                                   "EMPTY=",
                                                   nullptr};
  EXPECT_THAT(child_environment(environment.data()),
              ElementsAre("HOME=/root", "CONVOY_MODEL=lenet", "CONVOY_REPEATED=kept", "no variable",
                          "EMPTY="));
}

TEST(ChildEnvironment, TellsWhichFlagsAreAboutAllRuns) {
  EXPECT_TRUE(is_of_all_runs("repeat"));
  EXPECT_TRUE(is_of_all_runs("against_program"));
  EXPECT_FALSE(is_of_all_runs("batch_size"));
  EXPECT_FALSE(is_of_all_runs("flagfile")) << "words have none: they are expanded";
}

}  // namespace
}  // namespace convoy::cli
