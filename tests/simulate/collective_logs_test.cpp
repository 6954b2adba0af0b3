#include "tests/simulate/collective_logs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace convoy::testing {
namespace {

std::string described(const CollectiveLog& log, const CollectiveLog::Row& row,
                      const ForeseenCollective& foreseen) {
  return fmt::format("{}{}, {}, {:.0f} MiB: {:.1f} GB/s published, {:.1f} foreseen ({}), {:+.1f} %",
                     log.machine, log.held_out ? " (held out)" : "",
                     plan::operation_name(log.collective), row.bytes / (1 << 20),
                     row.bus_bytes_per_second / 1e9, foreseen.bus_bytes_per_second / 1e9,
                     foreseen.way, 100 * foreseen.error);
}

// Every published row within its bar, except for those that the data name as misses, which must be
// none within it: a miss that is gone comes off the list.
TEST(CollectiveLogsTest, PublishedBusBandwidthsAreForeseen) {
  double errors = 0;  // of rows that are no known misses
  std::size_t rows = 0;
  std::size_t misses = 0;
  for (const CollectiveLog& log : read_collective_logs()) {
    const std::vector<ForeseenCollective> foreseen = foresee(log);
    ASSERT_EQ(foreseen.size(), log.rows.size());
    for (std::size_t i = 0; i < log.rows.size(); ++i) {
      const std::string text = described(log, log.rows[i], foreseen[i]);
      fmt::print("{}\n", text);
      const auto size = static_cast<std::uint64_t>(log.rows[i].bytes) >> 20;
      if (log.known_misses.contains(size)) {
        EXPECT_GT(std::abs(foreseen[i].error), foreseen[i].bar) << text << ": no miss any more";
        ++misses;
        continue;
      }
      EXPECT_LE(std::abs(foreseen[i].error), foreseen[i].bar) << text;
      errors += std::abs(foreseen[i].error);
      ++rows;
    }
  }
  EXPECT_GT(rows, 500u);
  EXPECT_LT(errors / static_cast<double>(rows), 0.08) << "mean over " << rows << " rows";
  EXPECT_LT(misses * 5, rows) << misses << " known misses";
}

}  // namespace
}  // namespace convoy::testing
