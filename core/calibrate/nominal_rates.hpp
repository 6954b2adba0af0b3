#pragma once

#include <cstdint>
#include <string>

#include "core/calibrate/processor_facts.hpp"
#include "core/simulate/machine/machine_builder.hpp"
#include "topology/catalogue/catalogue.hpp"

namespace convoy::calibrate {

// What a machine that nobody measured is taken to reach: cautious, from data sheets.
struct NominalRates {
  double flops_per_second = 0;              // of one core, f32, two per multiply-add
  double core_memory_bytes_per_second = 0;  // what one core reaches
  double memory_bytes_per_second = 0;       // all cores together
  std::string source;                       // where these come from, for people
};

// Per second and core, f32, two per multiply-add.
double nominal_flops(const ProcessorFacts& facts);
NominalRates nominal_rates(const ProcessorFacts& facts, const topology::Catalogue& catalogue);

// CPU devices that share the machine's cores as those of a run do: evenly, and one core each with
// turns when there are more devices than cores. `threads` of each; 0: what the sharing gives.
simulate::SimulatedCluster nominal_cluster(const ProcessorFacts& facts, const NominalRates& rates,
                                           std::uint32_t devices, std::uint32_t threads);

}  // namespace convoy::calibrate
