// How well the published tables determine the constants, as Markdown: published_study sensitivity
// moves each of them by 10 %, published_study held_out fits the most influential ones again
// without a model, or without a number of GPUs, and predicts what was left out; published_study
// batches predicts half the batches; published_study try NAME=FACTOR... shows the tables' errors
// and the choices with other constants.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <set>
#include <string_view>

#include "tests/simulate/strategy_choice.hpp"
#include "tests/simulate/studied_constants.hpp"

namespace convoy::testing {
namespace {

using Cells = std::vector<PredictedCell>;

std::vector<PublishedTable> tables() {
  return read_published_tables(CONVOY_SOURCE_DIR "/tests/simulate/published_tables.json");
}

double mean_error(const Cells& cells) {
  return cells.empty() ? 0 : 100 * errors_of(cells).mean;
}

void print_sensitivity() {
  const Foresight foresight = read_foresight("tensorflow-1.1");
  fmt::print(
      "\nMean error of every table in %, and how it changes with each constant 10 % smaller "
      "and 10 % larger.\n\n| constant |");
  for (const PublishedTable& table : tables()) fmt::print(" {} |", table.title());
  fmt::print("\n|---|");
  std::vector<double> base;
  for (const PublishedTable& table : tables()) {
    fmt::print("---:|");
    base.push_back(mean_error(predict_table(foresight, table)));
  }
  fmt::print("\n| as they are |");
  for (const double error : base) fmt::print(" {:.2f} |", error);
  fmt::print("\n");
  for (const StudiedConstant& constant : studied_constants()) {
    fmt::print("| {} |", constant.name);
    for (std::size_t i = 0; i < base.size(); ++i) {
      double change[2];
      for (const int side : {0, 1}) {
        Foresight other = foresight;
        constant.scale(other, side == 0 ? 0.9 : 1.1);
        change[side] = mean_error(predict_table(other, tables()[i])) - base[i];
      }
      fmt::print(" {:+.2f} / {:+.2f} |", change[0], change[1]);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

// Constants that are fitted together, each multiplied by all of the factors.
struct Refit {
  std::vector<std::string> tables;
  std::vector<std::string> constants;
  std::vector<std::vector<double>> factors;
};

const std::vector<Refit>& refits() {
  static const std::vector<Refit> kList = {
      {{"Google Compute Engine, main results, synthetic", "Amazon EC2, main results, synthetic",
        "NVIDIA DGX-1, main results, synthetic"},
       {kBridgesOfGce, "fetch_disorder"},
       {{0.7, 0.85, 1, 1.2, 1.45, 1.75, 2.1}, {0.5, 0.67, 0.83, 1, 1.17, 1.33, 1.67}}},
      {{"NVIDIA DGX-1, main results, synthetic"},
       {"collective_progress", "collective_tax"},
       {{0.6, 0.8, 1, 1.25, 1.5, 2}, {0.25, 0.5, 0.75, 1, 1.25, 1.5}}},
      {{"Google Compute Engine, main results, synthetic", "Amazon EC2, main results, synthetic"},
       {"loss of rate when both dies of a board work"},
       {{0.6, 0.8, 1, 1.2, 1.4}}}};
  return kList;
}

struct Point {
  std::vector<double> factors;
  Cells cells;
};

void add_points(const Refit& refit, std::vector<double> factors, std::vector<Point>& points) {
  if (factors.size() < refit.constants.size()) {
    for (const double factor : refit.factors[factors.size()]) {
      std::vector<double> more = factors;
      more.push_back(factor);
      add_points(refit, more, points);
    }
    return;
  }
  Foresight foresight = read_foresight("tensorflow-1.1");
  for (std::size_t i = 0; i < factors.size(); ++i)
    studied_constant(refit.constants[i]).scale(foresight, factors[i]);
  Point point{factors, {}};
  for (const PublishedTable& table : tables()) {
    if (std::find(refit.tables.begin(), refit.tables.end(), table.title()) == refit.tables.end())
      continue;
    const Cells cells = predict_table(foresight, table);
    point.cells.insert(point.cells.end(), cells.begin(), cells.end());
  }
  points.push_back(std::move(point));
}

template <typename IsMeant>
Cells selected(const Cells& cells, IsMeant is_meant) {
  Cells result;
  for (const PredictedCell& cell : cells)
    if (is_meant(cell)) result.push_back(cell);
  return result;
}

template <typename IsHeldOut>
void print_fold(const Refit& refit, const std::vector<Point>& points, const std::string& name,
                IsHeldOut is_held_out) {
  const Point* best = nullptr;
  double least = 0;
  const auto trained = [&](const PredictedCell& cell) { return !is_held_out(cell); };
  for (const Point& point : points) {
    const double error = mean_error(selected(point.cells, trained));
    if (best != nullptr && error >= least) continue;
    best = &point;
    least = error;
  }
  const Cells held_out = selected(best->cells, is_held_out);
  fmt::print("| {} |", name);
  for (std::size_t i = 0; i < refit.constants.size(); ++i)
    fmt::print(" x {:g} |", best->factors[i]);
  fmt::print(" {:.2f} % |", least);
  if (held_out.empty()) return fmt::print(" | |\n");
  fmt::print(" {:.2f} % | {:.1f} % |\n", mean_error(held_out), 100 * errors_of(held_out).worst);
}

void print_refit(const Refit& refit) {
  std::vector<Point> points;
  add_points(refit, {}, points);
  fmt::print("\n| left out |");
  for (const std::string& name : refit.constants) fmt::print(" {} |", name);
  fmt::print(" error of the rest | of what was left out | worst |\n|---|");
  for (std::size_t i = 0; i < refit.constants.size(); ++i) fmt::print("---:|");
  fmt::print("---:|---:|---:|\n");
  print_fold(refit, points, "nothing", [](const PredictedCell&) { return false; });
  std::set<std::string> models;
  std::set<std::uint32_t> counts;
  for (const PredictedCell& cell : points.front().cells) {
    models.insert(cell.model);
    counts.insert(cell.devices);
  }
  for (const std::string& model : models)
    print_fold(refit, points, model, [&](const PredictedCell& it) { return it.model == model; });
  for (const std::uint32_t count : counts)
    print_fold(refit, points, fmt::format("{} GPUs", count),
               [&](const PredictedCell& it) { return it.devices == count; });
  std::fflush(stdout);
}

// With half the batch and the same rate of one GPU: as many bytes in half the time.
void print_batches() {
  const Foresight foresight = read_foresight("tensorflow-1.1");
  fmt::print(
      "\n| table | model | GPUs | batch | efficiency | of half the batch |\n"
      "|---|---|---:|---:|---:|---:|\n");
  for (const PublishedTable& table : tables()) {
    if (table.data != "synthetic") continue;
    PublishedTable half = table;
    for (PublishedRow& row : half.rows) row.batch /= 2;
    const Cells whole_cells = predict_table(foresight, table);
    const Cells half_cells = predict_table(foresight, half);
    std::size_t cell = 0;
    for (const PublishedRow& row : table.rows)
      for (std::size_t i = 1; i < row.rates.size(); ++i, ++cell) {
        const auto efficiency = [&](const Cells& cells) {
          return 100 * cells[cell].predicted / cells[cell].linear;
        };
        fmt::print("| {} | {} | {} | {} | {:.1f} % | {:.1f} % |\n", table.title(), row.model,
                   whole_cells[cell].devices, row.batch, efficiency(whole_cells),
                   efficiency(half_cells));
      }
  }
}

// NAME=FACTOR... : these constants so many times as large, errors of all tables and the choices.
void print_trial(int count, char** changes) {
  Foresight foresight = read_foresight("tensorflow-1.1");
  for (int i = 0; i < count; ++i) {
    const std::string change = changes[i];
    const std::size_t equals = change.find('=');
    studied_constant(change.substr(0, equals))
        .scale(foresight, std::stod(change.substr(equals + 1)));
    fmt::print("{}; ", change);
  }
  fmt::print("\n");
  for (const PublishedTable& table : tables()) {
    const Errors errors = errors_of(predict_table(foresight, table));
    fmt::print("{}: {:.2f} %, worst {:.1f} % ({})\n", table.title(), 100 * errors.mean,
               100 * errors.worst, errors.worst_cell);
  }
  const std::vector<ChosenCell> cells = chosen_cells(foresight, 1);
  const auto& names = configurations_of_2017();
  for (const ChosenCell& it : cells)
    if (it.loss > 0.01)
      fmt::print("{}, {}, {} GPUs: {} loses {:.1f} % against {}\n", it.platform, it.model,
                 it.devices, names[it.published].name, 100 * it.loss, names[it.best].name);
  const ChoiceSummary sum = summary_of(cells);
  fmt::print("{} of {} within 2 %, {} of {} with 8 GPUs; regret {:.3f} %\n", sum.within, sum.cells,
             sum.within_at_8, sum.cells_at_8, 100 * sum.regret);
}

int study(std::string_view what) {
  if (what == "sensitivity") {
    print_sensitivity();
  } else if (what == "held_out") {
    for (const Refit& refit : refits()) print_refit(refit);
  } else if (what == "batches") {
    print_batches();
  } else {
    fmt::print(stderr, "published_study sensitivity|held_out|batches|try NAME=FACTOR...\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace convoy::testing

int main(int argc, char** argv) {
  try {
    if (argc >= 2 && std::string_view(argv[1]) == "try") {
      convoy::testing::print_trial(argc - 2, argv + 2);
      return 0;
    }
    return convoy::testing::study(argc == 2 ? argv[1] : "");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
