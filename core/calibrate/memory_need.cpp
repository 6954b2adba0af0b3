#include "core/calibrate/memory_need.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/counted.hpp"
#include "core/simulate/memory_need.hpp"

namespace convoy::calibrate {
namespace {

// The memory of the program with its libraries, and for each thread its stack and the memory that
// libraries keep for it. With it, two cores need 0.29 GB for --quick, where 0.22 were measured, and
// 1.17 GB for everything except the further networks: with 1.1 GB of address space it ended early,
// with 1.3 GB it did not.
constexpr double kProgramBytes = 100e6;
constexpr double kBytesPerThread = 20e6;

[[noreturn]] void refuse(const ProbeNetwork& network, const CalibrationLoad& load, double beside,
                         const MemoryLimit& limit) {
  const double own = training_bytes(network, load.devices);
  fail(ExitCode::kUnavailable,
       "calibrate needs {} of memory, and {}: its first network ({}) "
       "takes {} on {}, everything else {}; --quick needs less",
       need_text(own + beside), limit_text(limit), network.name, need_text(own),
       counted(load.devices, "device"), need_text(beside));
}

}  // namespace

double training_bytes(const ProbeNetwork& network, std::uint32_t devices) {
  return devices *
         simulate::replica_need(network.graph, simulate::Work::kTraining, false).of(network.batch);
}

std::vector<std::string> keep_what_fits(std::vector<ProbeNetwork>& networks,
                                        const CalibrationLoad& load,
                                        const std::optional<MemoryLimit>& limit) {
  std::vector<std::string> left_out;
  if (!limit || networks.empty()) return left_out;
  const double beside = kProgramBytes + 2 * load.cores * kBytesPerThread +
                        training_bytes(load.check, 1 + 3 * load.cores) + load.also_bytes;
  double room = static_cast<double>(limit->bytes) - beside;
  if (training_bytes(networks.front(), load.devices) > room)
    refuse(networks.front(), load, beside, *limit);
  std::vector<ProbeNetwork> kept;
  for (ProbeNetwork& network : networks) {
    const double bytes = training_bytes(network, load.devices);
    if (bytes > room) {
      left_out.push_back("layers of " + network.name);
      continue;
    }
    room -= bytes;
    kept.push_back(std::move(network));
  }
  networks = std::move(kept);
  return left_out;
}

}  // namespace convoy::calibrate
