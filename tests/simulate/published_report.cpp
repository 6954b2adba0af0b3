// Prints every published cell beside its prediction, as Markdown: published_report [TABLE...], by
// parts of their titles.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "tests/simulate/published_tables.hpp"

namespace convoy::testing {
namespace {

void print_errors(const char* what, const Errors& errors) {
  fmt::print("| {} | {:.2f} % | {:.1f} % | {} |\n", what, 100 * errors.mean, 100 * errors.worst,
             errors.worst_cell);
}

void print_table(const Foresight& foresight, const PublishedTable& table) {
  const std::vector<PredictedCell> cells = predict_table(foresight, table);
  fmt::print("\n## {}\n\n| model | GPUs | published | predicted | error | linear |\n",
             table.title());
  fmt::print("|---|---:|---:|---:|---:|---:|\n");
  for (const PredictedCell& cell : cells)
    fmt::print("| {} | {} | {:g} | {:.4g} | {:+.1f} % | {:+.1f} % |\n", cell.model, cell.devices,
               cell.published, cell.predicted, 100 * cell.error(),
               100 * (cell.linear / cell.published - 1));
  fmt::print("\n| | mean error | worst | where |\n|---|---:|---:|---|\n");
  print_errors("simulated", errors_of(cells));
  print_errors("linear scaling", linear_errors(cells));
  print_errors("one efficiency per number of GPUs, fitted", efficiency_errors(cells));
}

bool is_asked_for(const PublishedTable& table, int argc, char** argv) {
  if (argc < 2) return true;
  for (int i = 1; i < argc; ++i)
    if (table.title().find(argv[i]) != std::string::npos) return true;
  return false;
}

int report(int argc, char** argv) {
  const Foresight foresight = read_foresight("tensorflow-1.1");
  fmt::print("# Published speeds, predicted\n\nSoftware profile: {} ({}).\n",
             foresight.software.name, foresight.software.source);
  for (const PublishedTable& table :
       read_published_tables(CONVOY_SOURCE_DIR "/tests/simulate/published_tables.json"))
    if (is_asked_for(table, argc, argv)) print_table(foresight, table);
  return 0;
}

}  // namespace
}  // namespace convoy::testing

int main(int argc, char** argv) {
  try {
    return convoy::testing::report(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
