#include "core/base/text/nearest.hpp"

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

TEST(Nearest, ShortNamesMeanOnlyWhatIsOneEditAway) {
  const std::vector<std::string> words = {"run", "list", "plan", "diff", "topo", "s", "cpu"};
  for (const char* stranger : {"x", "", "rx", "dog", "tap", "gpt", "lit_up"})
    EXPECT_THAT(nearest_names(stranger, words), testing::IsEmpty()) << stranger;
  EXPECT_THAT(nearest_names("rn", words), testing::ElementsAre("run"));
  EXPECT_THAT(nearest_names("lsit", words), testing::ElementsAre("list"));
  EXPECT_THAT(nearest_names("cpuu", words), testing::ElementsAre("cpu"));
}

TEST(Nearest, LettersThatChangedPlacesAreOneEdit) {
  EXPECT_EQ(edit_distance("plan", "paln"), 1u);
  EXPECT_EQ(edit_distance("plan", "naplan"), 2u);
  EXPECT_EQ(edit_distance("", "run"), 3u);
  EXPECT_EQ(edit_distance("replicated", "replciatde"), 2u);
}

}  // namespace
}  // namespace convoy
