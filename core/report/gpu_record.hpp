#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/system/gpu_monitor.hpp"

namespace convoy::report {

// Returns the section "gpus" of a record: the values of each GPU's sensors during the timed steps,
// the power of all GPUs together, and images per second and watt. "unknown" if no GPU could be
// queried.
nlohmann::ordered_json gpus_json(const std::vector<GpuReadings>& gpus, double images_per_second);

// Returns "GPU: power mean 612 W, peak 690 W, 11.30 images/s/W; at most 64 C; throttled 12 % of the
// time (power cap)"; empty if nothing is known.
std::string gpus_line(const std::vector<GpuReadings>& gpus, double images_per_second);

}  // namespace convoy::report
