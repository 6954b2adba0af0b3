#include <gtest/gtest.h>

#include "core/select/decision.hpp"
#include "tests/simulate/strategy_choice.hpp"

namespace convoy::testing {
namespace {

// Pairs of configurations that the two runs put into different orders, as text, but for those that
// simulation cannot tell apart.
std::string disagreements(const Rates& few, const Rates& many) {
  const auto& names = configurations_with_sums_on_host();
  std::string text;
  for (std::size_t a = 0; a < few.size(); ++a)
    for (std::size_t b = 0; b < few.size(); ++b)
      if (few[a] > few[b] * (1 + select::kIndistinguishable) && many[a] < many[b])
        text += "; " + names[a].name + " before " + names[b].name + ": " + std::to_string(few[a]) +
                " and " + std::to_string(few[b]) + " images/s, not " + std::to_string(many[a]) +
                " and " + std::to_string(many[b]);
  return text;
}

// All models on all machines of the tables, by convoy's own software, whose steps overlap. With the
// tables' software, which ends every step before it starts the next, there is nothing to show.
TEST(RankingIterationsTest, AsFewIterationsAsRankingTakesRankAsMore) {
  const Foresight foresight = read_foresight("convoy");
  std::size_t compared = 0;
  for (const PublishedTable& table :
       read_published_tables(CONVOY_SOURCE_DIR "/tests/simulate/published_tables.json")) {
    if (table.data != "synthetic" || table.rows.front().strategy == "distributed_replicated")
      continue;
    for (const PublishedRow& row : table.rows) {
      StrategyChoice choice(foresight, table.platform, row, configurations_with_sums_on_host());
      Constants constants = choice.constants();
      for (const std::uint32_t devices : {2u, 4u, 8u}) {
        constants.iterations = simulate::SimulationOptions{}.iterations;
        const Rates few = choice.rates(constants, devices);
        for (const std::uint32_t iterations : {4u, 6u}) {
          constants.iterations = iterations;
          EXPECT_EQ(disagreements(few, choice.rates(constants, devices)), "")
              << table.platform << ", " << row.model << ", " << devices << " GPUs, " << iterations
              << " iterations";
        }
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 45u);
}

}  // namespace
}  // namespace convoy::testing
