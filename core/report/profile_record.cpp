#include "core/report/profile_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace convoy::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGiga = 1e9;
constexpr double kMilliseconds = 1e3;
constexpr std::size_t kNameColumns = 30;

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

// Returns "  12.34 151.2F  80%": milliseconds, and GFLOP/s with the share of the peak, or GB/s with
// the share of the stream rate.
std::string pass_text(const PassProfile& pass, const ProfileRecord& profile) {
  if (!pass.recorded || pass.seconds <= 0) return fmt::format(" {:>20}", "");
  const bool computes = pass.flops > 0;
  const double rate = (computes ? pass.flops : pass.bytes) / pass.seconds;
  const double best = computes ? profile.multiply_rate : profile.stream_rate;
  return fmt::format(" {:>8.3f} {:>5.1f}{} {:>3.0f}%", pass.seconds * kMilliseconds, rate / kGiga,
                     computes ? 'F' : 'B', 100 * share(rate, best));
}

std::string layer_line(const LayerProfile& layer, const ProfileRecord& profile) {
  std::string text = fmt::format("{:<{}}", layer.name.substr(0, kNameColumns), kNameColumns);
  double around = 0;
  for (const PassProfile& pass : layer.passes) {
    text += pass_text(pass, profile);
    around += pass.helper_seconds;
  }
  if (around > 0) text += fmt::format(" {:>8.3f}", around * kMilliseconds);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

// Sums the layers of one kind as if they were one layer.
LayerProfile sum_of_kind(const ProfileRecord& profile, const std::string& kind) {
  LayerProfile sum;
  sum.name = kind;
  for (const LayerProfile& layer : profile.layers) {
    if (layer.kind != kind) continue;
    for (std::size_t i = 0; i < sum.passes.size(); ++i) {
      const PassProfile& pass = layer.passes[i];
      sum.passes[i].recorded |= pass.recorded;
      sum.passes[i].seconds += pass.seconds;
      sum.passes[i].helper_seconds += pass.helper_seconds;
      sum.passes[i].flops += pass.flops;
      sum.passes[i].bytes += pass.recorded ? pass.bytes : 0;
    }
  }
  return sum;
}

std::string kinds_table(const ProfileRecord& profile) {
  std::vector<std::string> kinds;  // in the order of their appearance
  for (const LayerProfile& layer : profile.layers)
    if (std::ranges::find(kinds, layer.kind) == kinds.end()) kinds.push_back(layer.kind);
  std::string text;
  for (const std::string& kind : kinds) text += layer_line(sum_of_kind(profile, kind), profile);
  return text;
}

std::string step_line(const char* name, double seconds, double step) {
  return fmt::format("{:<{}} {:>8.3f} ms {:>6.2f} %\n", name, kNameColumns, seconds * kMilliseconds,
                     100 * share(seconds, step));
}

std::string step_table(const runtime::StepBreakdown& step) {
  std::string text = step_line("step", step.seconds, step.seconds);
  text += step_line("  compute", step.compute, step.seconds);
  text += step_line("  aggregation, update, exposed", step.aggregation, step.seconds);
  if (step.network > 0) text += step_line("  network", step.network, step.seconds);
  text += step_line("  input wait", step.input_wait, step.seconds);
  text += step_line("  executor (gaps)", step.executor, step.seconds);
  text += "operations of a step, all places together\n";
  for (const auto& [kind, operations] : step.operations)
    text += fmt::format("  {:<{}} {:>8.3f} ms in {:g}\n", kind, kNameColumns - 2,
                        operations.seconds * kMilliseconds, operations.per_step);
  return text;
}

std::string primitives_table(const ProfileRecord& profile) {
  const double primitives = profile.primitives_seconds();
  const double least = profile.least_seconds();
  std::string text = fmt::format(
      "convolution and fully connected primitives {:.3f} ms: step / primitives {:.3f}\n",
      primitives * kMilliseconds, share(profile.step_seconds, primitives));
  text += fmt::format(
      "with {:.3f} GB of other layers and the update at the stream rate {:.3f} ms: step / that "
      "{:.3f}",
      profile.unavoidable_bytes / kGiga, least * kMilliseconds, share(profile.step_seconds, least));
  for (const std::string& pass : profile.missing_passes)
    text += fmt::format("\nno time of {}", pass);
  return text;
}

Json to_json(const LayerProfile& layer) {
  Json passes = Json::object();
  for (std::size_t i = 0; i < layer.passes.size(); ++i) {
    const PassProfile& pass = layer.passes[i];
    if (!pass.recorded) continue;
    passes[kPassNames[i]] = {{"seconds", pass.seconds},
                             {"helper_seconds", pass.helper_seconds},
                             {"flops", pass.flops},
                             {"bytes", pass.bytes},
                             {"implementation", pass.implementation}};
  }
  return {{"name", layer.name}, {"kind", layer.kind}, {"passes", std::move(passes)}};
}

}  // namespace

bool is_primitive(const LayerProfile& layer) {
  return layer.kind == "convolution" || layer.kind == "fully_connected";
}

double ProfileRecord::primitives_seconds() const {
  double sum = 0;
  for (const LayerProfile& layer : layers)
    if (is_primitive(layer))
      for (const PassProfile& pass : layer.passes) sum += pass.seconds;
  return sum;
}

double ProfileRecord::least_seconds() const {
  return primitives_seconds() + (stream_rate > 0 ? unavoidable_bytes / stream_rate : 0);
}

std::string profile_table(const ProfileRecord& profile, const runtime::StepBreakdown& breakdown) {
  const std::string titles =
      fmt::format("{:<{}} {:<20} {:<20} {:<20} {}\n", "", kNameColumns, " forward ms",
                  " backward data ms", " backward weights ms", " reorders, sums");
  std::string text = fmt::format(
      "Profile of a mean step, {}; this device computes {:.1f} GFLOP/s (F) and streams {:.1f} GB/s "
      "(B)\n",
      profile.devices == 1 ? "one device"
                           : fmt::format("averaged over {} devices", profile.devices),
      profile.multiply_rate / kGiga, profile.stream_rate / kGiga);
  text += titles;
  for (const LayerProfile& layer : profile.layers) text += layer_line(layer, profile);
  text += "\nby kind of layer\n" + titles + kinds_table(profile) + "\n";
  return text + step_table(breakdown) + "\n" + primitives_table(profile);
}

Json to_json(const runtime::StepBreakdown& breakdown) {
  Json operations = Json::object();
  for (const auto& [kind, sum] : breakdown.operations)
    operations[kind] = {{"per_step", sum.per_step}, {"seconds", sum.seconds}};
  Json by_host = Json::object();
  for (const auto& [host, seconds] : breakdown.network_by_host)
    by_host[std::to_string(host)] = seconds;
  return {{"seconds", breakdown.seconds},          {"compute", breakdown.compute},
          {"aggregation", breakdown.aggregation},  {"network", breakdown.network},
          {"network_by_host", std::move(by_host)}, {"input_wait", breakdown.input_wait},
          {"executor", breakdown.executor},        {"operations", std::move(operations)}};
}

runtime::StepBreakdown read_breakdown(const Json& json) {
  runtime::StepBreakdown record;
  record.seconds = json.at("seconds").get<double>();
  record.compute = json.at("compute").get<double>();
  record.aggregation = json.at("aggregation").get<double>();
  record.network = json.at("network").get<double>();
  record.input_wait = json.at("input_wait").get<double>();
  record.executor = json.at("executor").get<double>();
  for (const auto& [kind, sum] : json.at("operations").items())
    record.operations[kind] = {sum.at("per_step").get<double>(), sum.at("seconds").get<double>()};
  for (const auto& [host, seconds] : json.at("network_by_host").items())
    record.network_by_host[static_cast<std::uint32_t>(std::stoul(host))] = seconds.get<double>();
  return record;
}

Json to_json(const ProfileRecord& profile) {
  Json layers = Json::array();
  for (const LayerProfile& layer : profile.layers) layers.push_back(to_json(layer));
  return {{"averaged_over_devices", profile.devices},
          {"multiply_flops_per_sec", profile.multiply_rate},
          {"stream_bytes_per_sec", profile.stream_rate},
          {"step_seconds", profile.step_seconds},
          {"primitives_seconds", profile.primitives_seconds()},
          {"unavoidable_bytes", profile.unavoidable_bytes},
          {"least_seconds", profile.least_seconds()},
          {"expected_passes", profile.expected_passes},
          {"missing_passes", profile.missing_passes},
          {"layers", std::move(layers)}};
}

}  // namespace convoy::report
