#include "core/base/nearest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convoy {
namespace {

const std::vector<std::string> kNames = {"parameter_server", "replicated", "independent",
                                         "distributed_replicated"};

TEST(Nearest, FindsTypingErrors) {
  EXPECT_THAT(nearest_names("independant", kNames), testing::ElementsAre("independent"));
}

TEST(Nearest, FindsPartsOfNames) {
  EXPECT_THAT(nearest_names("server", kNames), testing::ElementsAre("parameter_server"));
}

TEST(Nearest, PutsTheClosestFirst) {
  EXPECT_THAT(nearest_names("replicate", kNames),
              testing::ElementsAre("replicated", "distributed_replicated"));
}

TEST(Nearest, FindsNothingForStrangers) {
  EXPECT_THAT(nearest_names("xyzzy", kNames), testing::IsEmpty());
}

}  // namespace
}  // namespace convoy
