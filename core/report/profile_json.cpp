#include "core/report/profile_json.hpp"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

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

Json to_json(const BreakdownRecord& breakdown) {
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

BreakdownRecord read_breakdown(const Json& json) {
  BreakdownRecord record;
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

}  // namespace convoy
