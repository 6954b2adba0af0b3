#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>

#include "tests/simulate/collective_logs.hpp"

namespace convoy::testing {
namespace {

struct Sum {
  double errors = 0;
  double worst = 0;
  std::size_t rows = 0;
  void add(double error) {
    errors += std::abs(error);
    worst = std::max(worst, std::abs(error));
    ++rows;
  }
  std::string text() const {
    return fmt::format("{} | {:.1f} % | {:.1f} %", rows, 100 * errors / static_cast<double>(rows),
                       100 * worst);
  }
};

// By whether constants were fitted to them, and by size.
struct Summary {
  Sum sums[2][2];
  void add(const CollectiveLog& log, double bytes, double error) {
    sums[log.held_out ? 1 : 0][bytes < 64.0 * (1 << 20) ? 0 : 1].add(error);
  }
  void print(std::FILE* out) const {
    fmt::print(out, "\n## Together\n\n| rows | | mean error | worst |\n|---|---:|---:|---:|\n");
    fmt::print(out, "| 1 to 32 MB, constants fitted to some | {} |\n", sums[0][0].text());
    fmt::print(out, "| 1 to 32 MB, held out | {} |\n", sums[1][0].text());
    fmt::print(out, "| 64 MB and more, constants fitted to some | {} |\n", sums[0][1].text());
    fmt::print(out, "| 64 MB and more, held out | {} |\n", sums[1][1].text());
  }
};

void print_log(std::FILE* out, const CollectiveLog& log, Summary& summary) {
  fmt::print(out, "\n## {}, {}{}\n\n{}; library: {}. `--platform={}`.\n\n", log.machine,
             plan::operation_name(log.collective), log.held_out ? " (held out)" : "", log.source,
             log.library, log.platform);
  fmt::print(out, "| MiB | published GB/s | foreseen | error | how |\n|---:|---:|---:|---:|---|\n");
  const std::vector<ForeseenCollective> foreseen = foresee(log);
  for (std::size_t i = 0; i < foreseen.size(); ++i) {
    const CollectiveLog::Row& row = log.rows[i];
    const bool missed = std::abs(foreseen[i].error) > foreseen[i].bar;
    fmt::print(out, "| {:.0f} | {:.1f} | {:.1f} | {:+.1f} %{} | {} |\n", row.bytes / (1 << 20),
               row.bus_bytes_per_second / 1e9, foreseen[i].bus_bytes_per_second / 1e9,
               100 * foreseen[i].error, missed ? " (missed)" : "", foreseen[i].way);
    summary.add(log, row.bytes, foreseen[i].error);
  }
  if (!log.why_missed.empty()) fmt::print(out, "\nMissed: {}.\n", log.why_missed);
}

void print_report(std::FILE* out) {
  fmt::print(
      out,
      "# Published bus bandwidths of collectives, foreseen\n\nWritten by `collective_report`, "
      "a build target. Rows of tests/simulate/collective_logs.json; constants and what they "
      "were fitted on are in share/catalogue/collectives.json. A row is missed when it is off "
      "by more than 25 % below 64 MB, and by more than 10 or 15 % from there on.\n");
  Summary summary;
  for (const CollectiveLog& log : read_collective_logs()) print_log(out, log, summary);
  summary.print(out);
}

}  // namespace
}  // namespace convoy::testing

int main() {
  try {
    std::FILE* out = std::fopen(CONVOY_SOURCE_DIR "/share/results/collectives.md", "w");
    if (out == nullptr) return 1;
    convoy::testing::print_report(out);
    return std::fclose(out) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
