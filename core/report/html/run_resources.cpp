#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/report/html/sections.hpp"

namespace convoy::report {
namespace {

std::optional<Figure> memory_chart(const Subject& run) {
  const Json& places = field(run.record, "memory/places");
  if (!places.is_array()) return std::nullopt;
  BarChart chart{run.figure_name("memory"),
                 run.figure_title("Memory that the run planned, by place"),
                 {"bytes", Unit::kBytes},
                 {"activations", "scratch of layers", "gradients", "parameters", "optimizer state",
                  "plan buffers and statistics"},
                 {}};
  constexpr std::pair<std::size_t, const char*> kFields[] = {
      {0, "activations_bytes"}, {1, "scratch_bytes"},         {2, "gradients_bytes"},
      {3, "parameters_bytes"},  {4, "optimizer_state_bytes"}, {5, "plan_buffers_bytes"},
      {5, "statistics_bytes"}};
  for (const Json& place : places) {
    BarChart::Bar bar{text(place, "place"), {}, {}};
    double sum = 0;
    for (const auto& [category, name] : kFields) {
      bar.parts.push_back({category, number_or_zero(place, name)});
      sum += bar.parts.back().value;
    }
    bar.value = quantity(sum, Unit::kBytes);
    if (sum > 0) chart.bars.push_back(std::move(bar));
  }
  if (chart.bars.empty()) return std::nullopt;
  return chart;
}

// Draws one kind of sensor for all GPUs: the mean as a bar, least and most in words.
std::optional<Figure> sensor_chart(const Subject& run, const std::string& sensor,
                                   const std::string& title, Unit unit) {
  BarChart chart{run.figure_name(sensor), run.figure_title(title), {"mean", unit}, {}, {}};
  for (const Json& gpu : field(run.record, "gpus/each")) {
    const Json& it = field(gpu, sensor);
    const auto mean = number(it, "mean");
    if (!mean) continue;
    chart.bars.push_back({text(gpu, "pci_address"),
                          {{0, *mean}},
                          fmt::format("{} ({} to a peak of {})", quantity(*mean, unit),
                                      plain_number(number_or_zero(it, "min")),
                                      quantity(number_or_zero(it, "max"), unit))});
  }
  if (chart.bars.empty()) return std::nullopt;
  return chart;
}

std::string shown(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  if (value.is_number()) return plain_number(value.get<double>());
  return {};
}

// Quotes an argument for a shell.
std::string quoted(const std::string& argument) {
  const bool plain = !argument.empty() && std::ranges::all_of(argument, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string("-_=./:,+@%").find(static_cast<char>(c)) != std::string::npos;
  });
  if (plain) return argument;
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string command_of(const Json& record) {
  std::string command = "convoy run";
  for (const Json& argument : field(record, "command_line"))
    command += " " + quoted(argument.get<std::string>());
  return command;
}

Table identity_table(const Subject& run) {
  const Json& record = run.record;
  Table table{run.figure_title("What ran, and where"), {}, {}};
  const auto row = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) table.rows.push_back({name, value});
  };
  row("command", command_of(record));
  row("record", run.name);
  row("started", text(record, "environment/start_time"));
  row("convoy", text(record, "environment/convoy_version"));
  row("host", text(record, "environment/host_name"));
  row("operating system", text(record, "environment/operating_system"));
  row("processor", fmt::format("{}, {:.0f} usable", text(record, "environment/cpu"),
                               number_or_zero(record, "environment/processors")));
  row("memory", quantity(number_or_zero(record, "environment/memory_bytes"), Unit::kBytes));
  for (const Json& device : field(record, "devices"))
    row(text(device, "name"), text(device, "model"));
  row("dataset",
      text(record, "dataset") + (is_true(record, "synthetic_data") ? ", synthetic" : ""));
  row("batch",
      fmt::format("{:.0f} per device, {:.0f} in all", number_or_zero(record, "batch_per_device"),
                  number_or_zero(record, "global_batch")));
  row("computes in", text(record, "compute_dtype"));
  row("optimizer", text(record, "optimizer"));
  row("hash of the lowered plan", text(record, "strategy/plan_hash"));
  row("hash of the trained parameters", text(record, "parameter_hash"));
  if (const auto peak = number(record, "memory/peak_resident_bytes"))
    row("most memory of the process", quantity(*peak, Unit::kBytes));
  for (const Json& notice : field(record, "notices")) row("notice", shown(notice));
  return table;
}

}  // namespace

std::vector<Figure> resource_figures(const Subject& run) {
  std::vector<Figure> figures;
  for (std::optional<Figure> figure :
       {memory_chart(run), sensor_chart(run, "watts", "Power", Unit::kWatts),
        sensor_chart(run, "degrees_celsius", "Temperature", Unit::kCelsius),
        sensor_chart(run, "sm_megahertz", "Clock of the multiprocessors", Unit::kMegahertz)})
    if (figure) figures.push_back(std::move(*figure));
  return figures;
}

std::vector<Figure> environment_figures(const Subject& run) {
  std::vector<Figure> figures;
  figures.emplace_back(identity_table(run));
  Table options{run.figure_title("Options of the strategy"), {}, {}};
  for (const auto& [name, value] : field(run.record, "strategy/options").items())
    options.rows.push_back({name, shown(value)});
  if (!options.rows.empty()) figures.emplace_back(std::move(options));
  return figures;
}

}  // namespace convoy::report
