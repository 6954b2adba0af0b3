#include "core/calibrate/nominal_rates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text/counted.hpp"

namespace convoy::calibrate {
namespace {

constexpr double kUnknownHertz = 2.5e9;
// The rate of one core, which the number of its outstanding memory accesses limits. Server cores of
// the last ten years stream 10 to 17 GB/s.
constexpr double kCoreMemoryRate = 12e9;

double hertz_of(const ProcessorFacts& facts) {
  return facts.hertz > 0 ? facts.hertz : kUnknownHertz;
}

}  // namespace

double nominal_flops(const ProcessorFacts& facts) {
  return 2 * facts.multiply_adds_per_cycle * hertz_of(facts);
}

NominalRates nominal_rates(const ProcessorFacts& facts, const topology::Catalogue& catalogue) {
  const topology::HostEntry* found = catalogue.find_host(facts.model);
  const topology::HostEntry& host = found != nullptr ? *found : catalogue.fallback_host();
  NominalRates rates;
  rates.flops_per_second = nominal_flops(facts);
  rates.core_memory_bytes_per_second = kCoreMemoryRate;
  rates.memory_bytes_per_second = facts.cores * kCoreMemoryRate;
  if (host.memory_bytes_per_second.known())
    rates.memory_bytes_per_second = std::min(rates.memory_bytes_per_second,
                                             facts.packages * *host.memory_bytes_per_second.value);
  rates.source = fmt::format(
      "nominal: {} at {:.2f} GHz{}, {:.0f} GB/s of memory by the host catalogue's entry '{}'",
      facts.instructions, hertz_of(facts) / 1e9, facts.hertz > 0 ? "" : " (assumed)",
      rates.memory_bytes_per_second / 1e9, host.name);
  return rates;
}

std::uint32_t threads_per_device(std::uint32_t cores, std::uint32_t devices, std::uint32_t asked) {
  return asked != 0 ? asked : std::max(1u, cores / devices);
}

simulate::SimulatedCluster nominal_cluster(const ProcessorFacts& facts, const NominalRates& rates,
                                           std::uint32_t devices, std::uint32_t threads) {
  threads = threads_per_device(facts.cores, devices, threads);
  simulate::SimulatedDevice device;
  device.name = "CPU device of " + counted(threads, "thread");
  device.flops_per_second = std::min(threads, facts.cores) * rates.flops_per_second;
  device.memory_bytes_per_second =
      std::min(rates.memory_bytes_per_second, threads * rates.core_memory_bytes_per_second);
  device.memory_efficiency = 1;
  device.collective_seconds = 0;
  device.kernel_seconds = 2e-6;
  device.one_engine = true;
  device.board_rates.clear();
  for (std::uint32_t busy = 1; busy <= devices; ++busy)
    device.board_rates.push_back(std::min(1.0, double(facts.cores) / (double(busy) * threads)));
  simulate::SimulatedHost host;
  host.memory_bytes_per_second = rates.memory_bytes_per_second;
  host.memory_bytes = facts.memory_bytes;
  return simulate::make_cpu_cluster(devices, device, host);
}

}  // namespace convoy::calibrate
