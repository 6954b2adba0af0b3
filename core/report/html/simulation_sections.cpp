#include "core/report/html/sections.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::report {
namespace {

// Returns the last run that fits into memory; null if none does.
const Json& largest(const Json& record) {
  static const Json kNothing;
  const Json* found = &kNothing;
  for (const Json& result : field(record, "results"))
    if (number(result, "images_per_second")) found = &result;
  return *found;
}

std::string devices_of(const Json& result) {
  return counted(count_or_zero(result, "devices"), "device");
}

}  // namespace

std::string simulation_heading(const Json& record) {
  return fmt::format("{} on {}, {}, simulated", text(record, "model"), text(record, "machine"),
                     text(record, "strategy"));
}

std::vector<std::string> simulation_verdict(const Subject& simulation) {
  const Json& record = simulation.record;
  const Json& result = largest(record);
  std::vector<std::string> sentences;
  if (!result.is_object()) {
    sentences.push_back(fmt::format("{} does not fit on {} with {}.", text(record, "model"),
                                    text(record, "machine"), text(record, "strategy")));
    return sentences;
  }
  sentences.push_back(fmt::format(
      "Simulated, {} would run at {} on {} of {} with {}: {:.1f} % of linear scaling, limited by "
      "{}.",
      text(record, "model"), quantity(number_or_zero(result, "images_per_second"), Unit::kRate),
      devices_of(result), text(record, "machine"), text(record, "strategy"),
      100 * number_or_zero(result, "efficiency"), text(result, "step/bottleneck")));
  for (const Json& each : field(record, "results"))
    if (const std::string problem = text(each, "problem"); !problem.empty())
      sentences.push_back(fmt::format("{} do not fit: {}.", devices_of(each), problem));
  return sentences;
}

std::vector<Tile> simulation_tiles(const Subject& simulation) {
  const Json& result = largest(simulation.record);
  if (!result.is_object()) return {};
  const double step = number_or_zero(result, "step/seconds");
  const double exposed = number_or_zero(result, "step/exposed_seconds");
  return {{"Speed, simulated", quantity(number_or_zero(result, "images_per_second"), Unit::kRate),
           devices_of(result)},
          {"Efficiency", quantity(number_or_zero(result, "efficiency"), Unit::kShare),
           "of one device's rate"},
          {"Step", quantity(step, Unit::kSeconds),
           fmt::format("compute {}",
                       quantity(number_or_zero(result, "step/compute_seconds"), Unit::kSeconds))},
          {"Exposed communication", quantity(exposed, Unit::kSeconds),
           fmt::format("{:.1f} % of the step", step > 0 ? 100 * exposed / step : 0)}};
}

std::vector<ScalingPoint> simulation_scaling(const Json& record) {
  std::vector<ScalingPoint> points;
  const double hosts = number_or_zero(record, "hosts");
  ScalingPoint point{text(record, "model"), text(record, "strategy") + ", simulated", true};
  point.conditions = conditions_of(record);
  point.details = option_words(field(record, "strategy_options"));
  const auto add = [&](double devices, double rate) {
    ScalingPoint& added = points.emplace_back(point);
    added.devices = devices;
    added.rate = rate;
    add_hosts(added, hosts);
  };
  for (const Json& result : field(record, "results"))
    if (const auto rate = number(result, "images_per_second"))
      add(number_or_zero(result, "devices"), *rate);
  const bool has_one = std::ranges::any_of(points, [](const auto& it) { return it.devices == 1; });
  const auto one = number(record, "one_device_images_per_second");
  if (!points.empty() && !has_one && one) add(1, *one);
  return points;
}

std::vector<Figure> simulation_timeline(const Subject& simulation) {
  const Json& timeline = field(largest(simulation.record), "timeline");
  if (!timeline.is_object()) return {};
  const double seconds = number_or_zero(timeline, "seconds");
  return {TimelineChart{simulation.figure_name("timeline"),
                        simulation.figure_title("One step, lane by lane"),
                        {read_timeline(timeline, fmt::format("simulated: {}, {}",
                                                             devices_of(largest(simulation.record)),
                                                             quantity(seconds, Unit::kSeconds)))}}};
}

std::vector<Figure> simulation_breakdown(const Subject& simulation) {
  BarChart chart{simulation.figure_name("critical-path"),
                 simulation.figure_title("What the step's longest chain of operations consists of"),
                 {"time", Unit::kSeconds},
                 {"forward and backward", "sums", "copies", "collectives", "updates", "waiting"},
                 {}};
  constexpr std::pair<std::size_t, const char*> kFields[] = {
      {0, "compute"}, {1, "sum"}, {2, "copy"}, {3, "collective"}, {4, "update"}, {5, "wait"}};
  for (const Json& result : field(simulation.record, "results")) {
    const Json& path = field(result, "step/critical_path");
    if (!path.is_object()) continue;
    BarChart::Bar bar{devices_of(result), {}, {}};
    for (const auto& [category, name] : kFields)
      bar.parts.push_back({category, number_or_zero(path, name)});
    bar.value = quantity(number_or_zero(result, "step/seconds"), Unit::kSeconds);
    chart.bars.push_back(std::move(bar));
  }
  if (chart.bars.empty()) return {};
  std::vector<Figure> figures = {std::move(chart)};
  Table collectives{simulation.figure_title("Collectives of a step"),
                    {"way", "count", "bytes", "time", "alone"},
                    {}};
  for (const Json& use : field(largest(simulation.record), "step/collectives"))
    collectives.rows.push_back({text(use, "way"), plain_number(number_or_zero(use, "count")),
                                quantity(number_or_zero(use, "bytes"), Unit::kBytes),
                                quantity(number_or_zero(use, "seconds"), Unit::kSeconds),
                                quantity(number_or_zero(use, "seconds_alone"), Unit::kSeconds)});
  if (!collectives.rows.empty()) figures.emplace_back(std::move(collectives));
  return figures;
}

std::vector<Figure> simulation_links(const Subject& simulation) {
  return link_figures(simulation, field(largest(simulation.record), "step/links"));
}

std::vector<Figure> simulation_memory(const Subject& simulation) {
  constexpr std::size_t kMostPlaces = 16;
  BarChart chart{simulation.figure_name("memory"),
                 simulation.figure_title("Memory that the plan needs, by place"),
                 {"bytes", Unit::kBytes},
                 {"needed", "", "", "", "", "free"},
                 {}};
  std::size_t places = 0;
  for (const Json& place : field(largest(simulation.record), "memory")) {
    const double needed = number_or_zero(place, "needed_bytes");
    const double available = number_or_zero(place, "available_bytes");
    if (needed <= 0 || ++places > kMostPlaces) continue;
    chart.bars.push_back({text(place, "place"),
                          {{0, needed}, {5, std::max(0.0, available - needed)}},
                          available > 0 ? fmt::format("{} of {}", quantity(needed, Unit::kBytes),
                                                      quantity(available, Unit::kBytes))
                                        : quantity(needed, Unit::kBytes)});
  }
  if (places > kMostPlaces) chart.note = fmt::format("the first {} of {}", kMostPlaces, places);
  if (chart.bars.empty()) return {};
  return {std::move(chart)};
}

std::vector<Figure> simulation_environment(const Subject& simulation) {
  const Json& record = simulation.record;
  Table table{simulation.figure_title("What was simulated"), {}, {}};
  const std::pair<const char*, const char*> rows[] = {{"machine", "machine"},
                                                      {"software", "software"},
                                                      {"collectives", "collectives"},
                                                      {"layers' times", "layer_times"},
                                                      {"strategy", "strategy"}};
  for (const auto& [label, name] : rows)
    if (const std::string value = text(record, name); !value.empty())
      table.rows.push_back({label, value});
  if (const std::string verdict = text(largest(record), "verdict"); !verdict.empty())
    table.rows.push_back({"what it computes", verdict});
  if (const std::string version = text(record, "convoy_version"); !version.empty())
    table.rows.push_back({"convoy", version});
  table.rows.push_back(
      {"batch", fmt::format("{:.0f} per device", number_or_zero(record, "batch_per_device"))});
  table.rows.push_back({"hosts", plain_number(number_or_zero(record, "hosts"))});
  for (const Json& result : field(record, "results"))
    table.rows.push_back({fmt::format("hash of the lowered plan, {}", devices_of(result)),
                          text(result, "plan_hash")});
  table.rows.push_back({"record", simulation.name});
  return {std::move(table)};
}

}  // namespace convoy::report
