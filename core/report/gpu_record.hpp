#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/system/gpu_monitor.hpp"

namespace convoy::report {

// The section "gpus" of a record: what the sensors of each said during the timed steps, the power
// of all together and images per second and watt. "unknown" when nobody could be asked.
nlohmann::ordered_json gpus_json(const std::vector<GpuReadings>& gpus, double images_per_second);

// "GPU: power mean 612 W, peak 690 W, 11.30 images/s/W; at most 64 C; throttled 12 % of the time
// (power cap)". Empty when nothing is known.
std::string gpus_line(const std::vector<GpuReadings>& gpus, double images_per_second);

}  // namespace convoy::report
