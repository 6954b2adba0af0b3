#include "core/select/candidate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convoy::select {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

plugin::Manifest strategy(const std::string& name, std::vector<plugin::Variant> variants) {
  plugin::Manifest manifest;
  manifest.name = name;
  manifest.options = {{.name = "where",
                       .type = plugin::OptionType::kEnum,
                       .default_value = "gpu",
                       .allowed = {"cpu", "gpu"}},
                      {.name = "packs", .type = plugin::OptionType::kInt, .default_value = "0"}};
  manifest.variants = std::move(variants);
  return manifest;
}

std::vector<std::string> flags(const std::vector<plugin::Manifest>& strategies,
                               const std::map<std::string, std::string>& given,
                               const std::vector<std::uint64_t>& buckets = {1 << 20}) {
  std::vector<std::string> all;
  for (const Candidate& candidate : enumerate_candidates(strategies, given, buckets))
    all.push_back(flags_of(candidate));
  return all;
}

TEST(Candidates, AreAllVariantsWithAllBucketSizes) {
  EXPECT_THAT(flags({strategy("a", {{{"where", "cpu"}}, {{"where", "gpu"}, {"packs", "3"}}})}, {},
                    {1 << 18, 1 << 22}),
              ElementsAre("--variable_update=a --where=cpu --bucket_mb=1",
                          "--variable_update=a --where=cpu --bucket_mb=16",
                          "--variable_update=a --packs=3 --bucket_mb=1",
                          "--variable_update=a --packs=3 --bucket_mb=16"));
}

TEST(Candidates, OfAStrategyWithoutVariantsAreItsDefaults) {
  EXPECT_THAT(flags({strategy("plain", {})}, {}),
              ElementsAre("--variable_update=plain --bucket_mb=4"));
}

TEST(Candidates, LeaveOutStrategiesThatAreTakenByNameOnly) {
  plugin::Manifest other_name = strategy("other_name", {});
  other_name.in_auto = false;
  EXPECT_THAT(flags({other_name, strategy("plain", {})}, {}),
              ElementsAre("--variable_update=plain --bucket_mb=4"));
}

TEST(Candidates, HaveBucketsThatCutTheModelAndOneThatHoldsIt) {
  constexpr std::uint64_t kMegabyte = (1 << 20) / sizeof(float);
  EXPECT_THAT(bucket_sizes(3 * kMegabyte), ElementsAre(16 * kMegabyte, kMegabyte, 2 * kMegabyte));
  EXPECT_THAT(bucket_sizes(20 * kMegabyte),
              ElementsAre(16 * kMegabyte, kMegabyte, 2 * kMegabyte, 4 * kMegabyte, 8 * kMegabyte,
                          32 * kMegabyte));
  EXPECT_EQ(bucket_sizes(1000 * kMegabyte).size(), 8u);
}

TEST(Candidates, KeepToWhatTheUserGave) {
  const plugin::Manifest both = strategy("a", {{{"where", "cpu"}}, {{"where", "gpu"}}});
  EXPECT_THAT(flags({both}, {{"where", "cpu"}}),
              ElementsAre("--variable_update=a --where=cpu --bucket_mb=4"));
  EXPECT_THAT(flags({both}, {{"packs", "2"}}),
              ElementsAre("--variable_update=a --packs=2 --where=cpu --bucket_mb=4",
                          "--variable_update=a --packs=2 --bucket_mb=4"));
}

TEST(Candidates, AreOnlyOfStrategiesThatKnowTheGivenOptions) {
  plugin::Manifest without = strategy("without", {});
  without.options.clear();
  EXPECT_THAT(flags({without, strategy("with", {})}, {{"packs", "2"}}),
              ElementsAre("--variable_update=with --packs=2 --bucket_mb=4"));
  EXPECT_THAT(flags({without}, {{"packs", "2"}}), IsEmpty());
}

TEST(Candidates, ThatComeToTheSameAreOne) {
  EXPECT_THAT(flags({strategy("a", {{{"where", "gpu"}}, {{"packs", "0"}}, {}})}, {}),
              ElementsAre("--variable_update=a --bucket_mb=4"));
}

}  // namespace
}  // namespace convoy::select
