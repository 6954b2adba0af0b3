#include <fmt/format.h>

#include <algorithm>

#include "core/report/html/sections.hpp"

namespace convoy::report {
namespace {

constexpr std::size_t kMostBars = 16;

const std::vector<std::string> kParts = {
    "forward and backward", "",    "aggregation and update, exposed", "waiting for other hosts",
    "waiting for images",   "gaps"};

BarChart::Bar part_bar(const std::string& label, const Json& breakdown) {
  BarChart::Bar bar{label, {}, {}};
  constexpr std::pair<std::size_t, const char*> kFields[] = {
      {0, "compute"}, {2, "aggregation"}, {3, "network"}, {4, "input_wait"}, {5, "executor"}};
  for (const auto& [category, name] : kFields)
    bar.parts.push_back({category, number_or_zero(breakdown, name)});
  bar.value = quantity(number_or_zero(breakdown, "seconds"), Unit::kSeconds);
  return bar;
}

// Returns the simulator's prediction, with the names of the measured parts.
BarChart::Bar predicted_bar(const Json& prediction) {
  const double step = number_or_zero(prediction, "step_seconds");
  const double compute = number_or_zero(prediction, "compute_seconds");
  return {"predicted",
          {{0, compute}, {2, std::max(0.0, step - compute)}},
          quantity(step, Unit::kSeconds)};
}

BarChart operations_chart(const Subject& run, const Json& operations) {
  BarChart chart{run.figure_name("operations"),
                 run.figure_title("Time by kind of operation, all devices together"),
                 {"time per step", Unit::kSeconds},
                 {},
                 {}};
  for (const auto& [name, sum] : operations.items())
    chart.bars.push_back({name,
                          {{0, number_or_zero(sum, "seconds")}},
                          fmt::format("{}, {:.0f} per step",
                                      quantity(number_or_zero(sum, "seconds"), Unit::kSeconds),
                                      number_or_zero(sum, "per_step"))});
  std::ranges::stable_sort(chart.bars, std::greater<>(),
                           [](const BarChart::Bar& bar) { return bar.parts[0].value; });
  return chart;
}

struct LayerCost {
  std::string name;
  double seconds[3] = {0, 0, 0};
  double flops = 0;
  double bytes = 0;

  double total() const { return seconds[0] + seconds[1] + seconds[2]; }
};

LayerCost layer_cost(const Json& layer) {
  LayerCost cost{text(layer, "name")};
  constexpr const char* kPasses[] = {"forward", "backward_data", "backward_weights"};
  for (std::size_t pass = 0; pass < 3; ++pass) {
    const Json& it = field(field(layer, "passes"), kPasses[pass]);
    cost.seconds[pass] = number_or_zero(it, "seconds") + number_or_zero(it, "helper_seconds");
    cost.flops += number_or_zero(it, "flops");
    cost.bytes += number_or_zero(it, "bytes");
  }
  return cost;
}

// Returns the share of the peak that limits the layer: the multiply rate for products, the memory's
// rate for others.
std::string share_of_peak(const LayerCost& cost, const Json& profile) {
  const double multiply = number_or_zero(profile, "multiply_flops_per_sec");
  const double stream = number_or_zero(profile, "stream_bytes_per_sec");
  if (cost.total() <= 0) return {};
  if (cost.flops > 0 && multiply > 0)
    return fmt::format(", {:.0f} % of peak", 100 * cost.flops / cost.total() / multiply);
  if (cost.bytes > 0 && stream > 0)
    return fmt::format(", {:.0f} % of memory's", 100 * cost.bytes / cost.total() / stream);
  return {};
}

BarChart layers_chart(const Subject& run, const Json& profile) {
  std::vector<LayerCost> costs;
  for (const Json& layer : field(profile, "layers")) costs.push_back(layer_cost(layer));
  std::ranges::stable_sort(costs, std::greater<>(), &LayerCost::total);
  const std::size_t all = costs.size();
  costs.resize(std::min(kMostBars, all));
  BarChart chart{
      run.figure_name("layers"),
      run.figure_title(all > kMostBars ? fmt::format("The {} slowest of {} layers", kMostBars, all)
                                       : std::string("Layers")),
      {"time per step", Unit::kSeconds},
      {"forward", "backward, data", "", "backward, weights"},
      {}};
  chart.note =
      "Shares of peak count the operations of a convolution's definition: algorithms that need "
      "fewer, such as Winograd's, exceed 100 %.";
  for (const LayerCost& cost : costs)
    chart.bars.push_back({cost.name,
                          {{0, cost.seconds[0]}, {1, cost.seconds[1]}, {3, cost.seconds[2]}},
                          quantity(cost.total(), Unit::kSeconds) + share_of_peak(cost, profile)});
  return chart;
}

// Includes the links' speed, as each pair of tasks measured it at the start; "-" if it was not
// measured.
Table peers_table(const Subject& run, const Json& peers) {
  Table table{run.figure_title("Links between this task and others"),
              {"task", "transport", "round trip", "rate"},
              {}};
  for (const Json& peer : peers) {
    const double round_trip = number_or_zero(peer, "round_trip_seconds");
    const double rate = number_or_zero(peer, "bytes_per_second");
    table.rows.push_back({text(peer, "task"), text(peer, "transport"),
                          round_trip > 0 ? quantity(round_trip, Unit::kSeconds) : "-",
                          rate > 0 ? quantity(rate, Unit::kBytes) + "/s" : "-"});
  }
  return table;
}

}  // namespace

std::vector<Figure> breakdown_figures(const Subject& run) {
  std::vector<Figure> figures;
  const Json& breakdown = field(run.record, "step_breakdown");
  const Json& prediction = field(run.record, "prediction");
  if (breakdown.is_object()) {
    BarChart parts{run.figure_name("step-parts"),
                   run.figure_title("Parts of the mean step, averaged over the devices"),
                   {"time", Unit::kSeconds},
                   kParts,
                   {part_bar("measured", breakdown)}};
    if (number(prediction, "step_seconds")) parts.bars.push_back(predicted_bar(prediction));
    figures.emplace_back(std::move(parts));
    const Json& operations = field(breakdown, "operations");
    if (operations.is_object() && !operations.empty())
      figures.emplace_back(operations_chart(run, operations));
  }
  const Json& layers = field(run.record, "profile/layers");
  if (layers.is_array() && !layers.empty())
    figures.emplace_back(layers_chart(run, field(run.record, "profile")));
  return figures;
}

std::vector<Figure> task_figures(const Subject& run) {
  const Json& tasks = field(run.record, "tasks");
  const Json& peers = field(run.record, "peers");
  std::vector<Figure> figures;
  Table waits{
      run.figure_title("Which task the others waited for"), {"task", "waited for", "per step"}, {}};
  if (tasks.is_array() && tasks.size() > 1) {
    BarChart times{run.figure_name("tasks"),
                   run.figure_title("Mean step of every task"),
                   {"time", Unit::kSeconds},
                   kParts,
                   {}};
    for (const Json& task : tasks) {
      times.bars.push_back(part_bar(text(task, "task"), field(task, "step_breakdown")));
      for (const auto& [other, seconds] : field(task, "waited_for").items())
        waits.rows.push_back(
            {text(task, "task"), other, quantity(listed_number(seconds), Unit::kSeconds)});
    }
    figures.emplace_back(std::move(times));
  }
  if (peers.is_array() && !peers.empty()) {
    BarChart traffic{run.figure_name("traffic"),
                     run.figure_title("Bytes between this task and others, in the whole run"),
                     {"bytes", Unit::kBytes},
                     {"sent", "", "received"},
                     {}};
    for (const Json& peer : peers) {
      const double sent = number_or_zero(peer, "bytes_sent");
      const double received = number_or_zero(peer, "bytes_received");
      traffic.bars.push_back({text(peer, "task"),
                              {{0, sent}, {2, received}},
                              quantity(sent + received, Unit::kBytes)});
    }
    figures.emplace_back(std::move(traffic));
    figures.emplace_back(peers_table(run, peers));
  }
  if (!waits.rows.empty()) figures.emplace_back(std::move(waits));
  return figures;
}

std::vector<Figure> link_figures(const Subject& subject, const Json& links) {
  if (!links.is_array() || links.empty()) return {};
  BarChart chart{subject.figure_name("links"),
                 subject.figure_title("How busy links are during a step, as simulated"),
                 {"of the link's capacity", Unit::kShare},
                 {},
                 {},
                 1.0};
  const std::size_t shown = std::min(kMostBars, links.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Json& link = links[i];
    const double busy = number_or_zero(link, "utilization");
    chart.bars.push_back(
        {text(link, "link") + (is_true(link, "rate_assumed") ? " (rate assumed)" : ""),
         {{2, busy}},
         fmt::format("{:.1f} %, {} per step", 100 * busy,
                     quantity(number_or_zero(link, "bytes_per_step"), Unit::kBytes))});
  }
  if (shown < links.size())
    chart.title += fmt::format("; the {} busiest of {}", shown, links.size());
  return {std::move(chart)};
}

Timeline read_timeline(const Json& json, const std::string& title) {
  Timeline timeline{title, number_or_zero(json, "seconds"), {}, {}};
  timeline.more_rows = count_or_zero(json, "rows_left_out");
  for (const Json& row : field(json, "rows"))
    timeline.rows.push_back({row.at(0).get<std::string>(), row.at(1).get<std::string>()});
  for (const Json& event : field(json, "events")) {
    Timeline::Event it{event.at(0).get_ref<const std::uint64_t&>(), listed_number(event.at(1)),
                       listed_number(event.at(2)), event.at(3).get<std::string>()};
    if (event.at(4).is_number()) it.operation = event.at(4).get_ref<const std::uint64_t&>();
    if (it.row < timeline.rows.size()) timeline.events.push_back(std::move(it));
  }
  return timeline;
}

std::vector<Figure> timeline_figures(const Subject& run) {
  TimelineChart chart{run.figure_name("timeline"), run.figure_title("One step, lane by lane"), {}};
  const Json& measured = field(run.record, "timeline");
  if (measured.is_object())
    chart.timelines.push_back(read_timeline(
        measured, fmt::format("measured: step {:.0f}, {}, the nearest to the median",
                              number_or_zero(measured, "step"),
                              quantity(number_or_zero(measured, "seconds"), Unit::kSeconds))));
  const Json& simulated = field(run.record, "prediction/timeline");
  if (simulated.is_object())
    chart.timelines.push_back(read_timeline(
        simulated, fmt::format("simulated: {}",
                               quantity(number_or_zero(simulated, "seconds"), Unit::kSeconds))));
  if (chart.timelines.empty()) return {};
  return {std::move(chart)};
}

}  // namespace convoy::report
