#include "core/calibrate/machine_profile.hpp"

#include <gtest/gtest.h>

#include "tests/calibrate/profiles.hpp"

namespace convoy::calibrate {
namespace {

TEST(FingerprintTest, AMachineIsLikeItselfAndLikeItselfWithALittleLessMemory) {
  const Fingerprint here = small_profile().machine;
  EXPECT_EQ(difference(here, here), "");
  Fingerprint reserved = here;
  reserved.memory_bytes -= reserved.memory_bytes / 50;
  EXPECT_EQ(difference(reserved, here), "");
}

TEST(FingerprintTest, NamesEverythingThatDiffersWithBothValues) {
  const Fingerprint here = small_profile().machine;
  Fingerprint there = here;
  there.processor = "Processor 8";
  there.cores = 64;
  there.memory_bytes *= 2;
  there.device = "cpu 0.9";
  const std::string text = difference(there, here);
  for (const char* part :
       {"'Processor 8' there and 'Processor 9' here", "'64' there", "memory", "'cpu 0.9' there"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

TEST(MachineProfileTest, ItsErrorIsTheMeanOfWhatWasChecked) {
  EXPECT_NEAR(known_error(small_profile()), (0.1 + 0.05) / 2, 1e-12);
}

TEST(MachineProfileTest, TakesTheTeamWithTheMostSimilarNumberOfThreads) {
  MachineProfile profile = small_profile();
  profile.teams = {{16, 1, 1, 1, 1}, {4, 4, 2, 1, 1}, {1, 1, 3, 1, 1}, {1, 16, 4, 1, 1}};
  EXPECT_EQ(nearest_team(profile, 16).flops, 1);
  EXPECT_EQ(nearest_team(profile, 12).flops, 1);
  EXPECT_EQ(nearest_team(profile, 3).flops, 2);
  EXPECT_EQ(nearest_team(profile, 1).flops, 4) << "the one with the most neighbours";
}

}  // namespace
}  // namespace convoy::calibrate
