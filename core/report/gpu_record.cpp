#include "core/report/gpu_record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace convoy::report {
namespace {

using Json = nlohmann::ordered_json;

using Gpus = std::vector<GpuReadings>;

Json sensor_json(const SensorSummary& sensor) {
  if (sensor.count == 0) return "unknown";
  return {{"mean", sensor.mean()}, {"min", sensor.least}, {"max", sensor.most}};
}

Json gpu_json(const GpuReadings& gpu) {
  const std::optional<double> throttled = gpu.throttled_share();
  return {{"pci_address", gpu.pci_address},
          {"watts", sensor_json(gpu.watts)},
          {"degrees_celsius", sensor_json(gpu.degrees)},
          {"sm_megahertz", sensor_json(gpu.sm_megahertz)},
          {"memory_megahertz", sensor_json(gpu.memory_megahertz)},
          {"throttled_share", throttled ? Json(*throttled) : Json("unknown")},
          {"throttle_reasons", gpu.throttle_reasons}};
}

// Returns the mean power of all GPUs together; empty unless all have reported theirs.
std::optional<double> total_watts(const Gpus& gpus) {
  if (gpus.empty()) return std::nullopt;
  double sum = 0;
  for (const GpuReadings& gpu : gpus) {
    if (gpu.watts.count == 0) return std::nullopt;
    sum += gpu.watts.mean();
  }
  return sum;
}

std::string power_text(const Gpus& gpus, double images_per_second) {
  const std::optional<double> watts = total_watts(gpus);
  if (!watts) return {};
  double peak = 0;  // sum of the peaks of all GPUs
  for (const GpuReadings& gpu : gpus) peak += gpu.watts.most;
  std::string text = fmt::format("power mean {:.0f} W, peak {:.0f} W", *watts, peak);
  if (*watts > 0) text += fmt::format(", {:.2f} images/s/W", images_per_second / *watts);
  return text;
}

std::string temperature_text(const Gpus& gpus) {
  double most = 0;
  for (const GpuReadings& gpu : gpus) most = std::max(most, gpu.degrees.most);
  return most > 0 ? fmt::format("at most {:.0f} C", most) : std::string();
}

std::string throttle_text(const Gpus& gpus) {
  std::vector<std::string> reasons;
  double share = 0;
  bool known = false;
  for (const GpuReadings& gpu : gpus) {
    known = known || gpu.samples > 0;
    share = std::max(share, gpu.throttled_share().value_or(0));
    for (const std::string& reason : gpu.throttle_reasons)
      if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
  }
  if (!known) return {};
  if (share <= 0) return "not throttled";
  return fmt::format("throttled {:.0f} % of the time ({})", 100 * share, fmt::join(reasons, ", "));
}

}  // namespace

Json gpus_json(const Gpus& gpus, double images_per_second) {
  if (gpus.empty()) return "unknown";
  Json each = Json::array();
  for (const GpuReadings& gpu : gpus) each.push_back(gpu_json(gpu));
  const std::optional<double> watts = total_watts(gpus);
  const bool counts = watts && *watts > 0 && images_per_second > 0;
  return {{"watts", watts ? Json(*watts) : Json("unknown")},
          {"images_per_sec_per_watt", counts ? Json(images_per_second / *watts) : Json("unknown")},
          {"each", std::move(each)}};
}

std::string gpus_line(const Gpus& gpus, double images_per_second) {
  std::vector<std::string> parts;
  for (std::string part :
       {power_text(gpus, images_per_second), temperature_text(gpus), throttle_text(gpus)})
    if (!part.empty()) parts.push_back(std::move(part));
  return parts.empty() ? std::string() : fmt::format("GPU: {}", fmt::join(parts, "; "));
}

}  // namespace convoy::report
