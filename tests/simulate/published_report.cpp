// Prints every published cell beside its prediction, and which configuration is chosen, as
// Markdown: published_report [TABLE...], the tables by parts of their titles, then without choices.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "tests/simulate/published_tables.hpp"
#include "tests/simulate/strategy_choice.hpp"

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

void print_choices(const Foresight& foresight) {
  constexpr std::uint32_t kDraws = 5;
  const std::vector<ChosenCell> cells = chosen_cells(foresight, kDraws);
  const auto name = [](std::size_t index) { return configurations_of_2017()[index].name; };
  fmt::print(
      "\n## Choices\n\nThe published configuration, the one predicted as best, and what the "
      "published one and the performance guide's rule lose against it.\n\n"
      "| machine | model | GPUs | published | predicted best | published loses | rule loses |\n"
      "|---|---|---:|---|---|---:|---:|\n");
  for (const ChosenCell& it : cells)
    fmt::print("| {} | {} | {} | {} | {} | {:.1f} % | {:.1f} % |\n", it.platform, it.model,
               it.devices, name(it.published), name(it.best), 100 * it.loss, 100 * it.human_loss);
  const ChoiceSummary sum = summary_of(cells);
  fmt::print(
      "\nPublished configuration within 2 % of the best: {} of {} cells, {} of {} with 8 GPUs. "
      "With 8 GPUs and every constant wrong by up to 30 % ({} draws), what is then chosen loses "
      "{:.3f} % in the mean and {:.2f} % at worst; the rule loses {:.2f} %.\n",
      sum.within, sum.cells, sum.within_at_8, sum.cells_at_8, kDraws, 100 * sum.regret,
      100 * sum.worst_regret, 100 * sum.human_regret);
}

bool is_asked_for(const PublishedTable& table, int argc, char** argv) {
  if (argc < 2) return true;
  for (int i = 1; i < argc; ++i)
    if (table.title().find(argv[i]) != std::string::npos) return true;
  return false;
}

int report(int argc, char** argv) {
  const Foresight foresight = read_foresight("tensorflow-1.1");
  fmt::print(
      "# Published speeds, predicted\n\nWritten by `published_report`, a build target.\n\n"
      "Software profile: {} ({}).\n",
      foresight.software.name, foresight.software.source);
  for (const PublishedTable& table :
       read_published_tables(CONVOY_SOURCE_DIR "/tests/simulate/published_tables.json"))
    if (is_asked_for(table, argc, argv)) print_table(foresight, table);
  if (argc < 2) print_choices(foresight);
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
