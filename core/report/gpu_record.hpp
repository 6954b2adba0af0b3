#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace convoy {

// What a GPU's sensors said during the timed steps; empty: the sensor is not there.
struct GpuRecord {
  struct Sensor {
    double mean = 0;
    double least = 0;
    double most = 0;
  };
  std::string pci_address;
  std::optional<Sensor> watts;
  std::optional<Sensor> degrees;  // Celsius
  std::optional<Sensor> sm_megahertz;
  std::optional<Sensor> memory_megahertz;
  std::optional<double> throttled_share;  // of the looks at it
  std::vector<std::string> throttle_reasons;
};

// Of all GPUs of a run. Empty when nobody could be asked.
struct GpusRecord {
  std::vector<GpuRecord> gpus;

  // Mean power of all of them; empty unless all have told theirs.
  std::optional<double> watts() const;
};

// "unknown" when there are none.
nlohmann::ordered_json to_json(const GpusRecord& record, double images_per_second);

// "GPU: power mean 612 W, most 690 W, 11.30 images/s/W; at most 64 C; throttled 12 % of the time
// (power cap)". Empty when nothing is known.
std::string gpus_line(const GpusRecord& record, double images_per_second);

}  // namespace convoy
