#include "core/calibrate/machine_profile.hpp"

#include <gtest/gtest.h>

#include "tests/calibrate/profiles.hpp"

namespace convoy::calibrate {
namespace {

TEST(FingerprintTest, AMachineIsLikeItselfWhateverMemoryItReportsAfterAStart) {
  const Fingerprint here = small_profile().machine;
  EXPECT_EQ(difference(here, here), "");
  for (const std::uint64_t memory :
       {std::uint64_t{0}, here.memory_bytes / 2, 2 * here.memory_bytes}) {
    Fingerprint restarted = here;
    restarted.memory_bytes = memory;
    EXPECT_EQ(difference(here, restarted), "") << memory;
  }
}

TEST(FingerprintTest, NamesEverythingThatDiffersWithBothValues) {
  const Fingerprint here = small_profile().machine;
  Fingerprint there = here;
  there.processor = "Processor 8";
  there.cores = 64;
  there.instructions = "AVX-512";
  there.device = "cpu 0.9";
  const std::string text = difference(there, here);
  for (const char* part : {"'Processor 8' there and 'Processor 9' here", "'64' there",
                           "'AVX-512' there", "'cpu 0.9' there"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

TEST(MachineProfileTest, ItsErrorIsTheMeanOfWhatWasChecked) {
  EXPECT_NEAR(known_error(small_profile()), (0.1 + 0.05) / 2, 1e-12);
}

TEST(MachineProfileTest, IsTrustedByItsChecksAndNoFurtherThanOthersLeftTheCores) {
  MachineProfile profile = small_profile();
  EXPECT_FALSE(much_disturbed(profile));
  EXPECT_DOUBLE_EQ(expected_error(profile), known_error(profile));
  EXPECT_EQ(trust_text(profile), "its checks were 7.5 % off");
  profile.disturbance = 0.5;
  EXPECT_TRUE(much_disturbed(profile));
  EXPECT_DOUBLE_EQ(expected_error(profile), 0.5);
  EXPECT_EQ(
      trust_text(profile),
      "its checks were 7.5 % off, and other processes used 50 % of the cores' time meanwhile");
  profile.disturbance.reset();
  EXPECT_FALSE(much_disturbed(profile)) << "unknown";
  EXPECT_DOUBLE_EQ(expected_error(profile), known_error(profile));
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
