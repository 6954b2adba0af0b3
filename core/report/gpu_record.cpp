#include "core/report/gpu_record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

Json sensor_json(const std::optional<GpuRecord::Sensor>& sensor) {
  if (!sensor) return "unknown";
  return {{"mean", sensor->mean}, {"min", sensor->least}, {"max", sensor->most}};
}

Json gpu_json(const GpuRecord& gpu) {
  return {{"pci_address", gpu.pci_address},
          {"watts", sensor_json(gpu.watts)},
          {"degrees_celsius", sensor_json(gpu.degrees)},
          {"sm_megahertz", sensor_json(gpu.sm_megahertz)},
          {"memory_megahertz", sensor_json(gpu.memory_megahertz)},
          {"throttled_share", gpu.throttled_share ? Json(*gpu.throttled_share) : Json("unknown")},
          {"throttle_reasons", gpu.throttle_reasons}};
}

std::string power_text(const GpusRecord& record, double images_per_second) {
  const std::optional<double> watts = record.watts();
  if (!watts) return {};
  double most = 0;
  for (const GpuRecord& gpu : record.gpus) most += gpu.watts->most;
  std::string text = fmt::format("power mean {:.0f} W, most {:.0f} W", *watts, most);
  if (*watts > 0) text += fmt::format(", {:.2f} images/s/W", images_per_second / *watts);
  return text;
}

std::string temperature_text(const GpusRecord& record) {
  double most = 0;
  for (const GpuRecord& gpu : record.gpus)
    if (gpu.degrees) most = std::max(most, gpu.degrees->most);
  return most > 0 ? fmt::format("at most {:.0f} C", most) : std::string();
}

std::string throttle_text(const GpusRecord& record) {
  std::vector<std::string> reasons;
  double share = 0;
  bool known = false;
  for (const GpuRecord& gpu : record.gpus) {
    known = known || gpu.throttled_share;
    share = std::max(share, gpu.throttled_share.value_or(0));
    for (const std::string& reason : gpu.throttle_reasons)
      if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
  }
  if (!known) return {};
  if (share <= 0) return "not throttled";
  return fmt::format("throttled {:.0f} % of the time ({})", 100 * share, fmt::join(reasons, ", "));
}

}  // namespace

std::optional<double> GpusRecord::watts() const {
  if (gpus.empty()) return std::nullopt;
  double sum = 0;
  for (const GpuRecord& gpu : gpus) {
    if (!gpu.watts) return std::nullopt;
    sum += gpu.watts->mean;
  }
  return sum;
}

Json to_json(const GpusRecord& record, double images_per_second) {
  if (record.gpus.empty()) return "unknown";
  Json gpus = Json::array();
  for (const GpuRecord& gpu : record.gpus) gpus.push_back(gpu_json(gpu));
  const std::optional<double> watts = record.watts();
  const bool counts = watts && *watts > 0 && images_per_second > 0;
  return {{"watts", watts ? Json(*watts) : Json("unknown")},
          {"images_per_sec_per_watt", counts ? Json(images_per_second / *watts) : Json("unknown")},
          {"each", std::move(gpus)}};
}

std::string gpus_line(const GpusRecord& record, double images_per_second) {
  std::vector<std::string> parts;
  for (std::string part :
       {power_text(record, images_per_second), temperature_text(record), throttle_text(record)})
    if (!part.empty()) parts.push_back(std::move(part));
  return parts.empty() ? std::string() : fmt::format("GPU: {}", fmt::join(parts, "; "));
}

}  // namespace convoy
