#pragma once

#include <cstdint>
#include <string>

#include "core/calibrate/processor_facts.hpp"
#include "core/simulate/machine/machine_builder.hpp"
#include "topology/catalogue/catalogue.hpp"

namespace convoy::calibrate {

// The assumed rates of a machine that was not measured. They are cautious and come from data
// sheets.
struct NominalRates {
  double flops_per_second = 0;              // of one core, f32, two per multiply-add
  double core_memory_bytes_per_second = 0;  // the rate that one core reaches
  double memory_bytes_per_second = 0;       // all cores together
  std::string source;                       // where the rates come from, for people
};

// Returns the operations per second of one core in f32, two per multiply-add.
double nominal_flops(const ProcessorFacts& facts);
NominalRates nominal_rates(const ProcessorFacts& facts, const topology::Catalogue& catalogue);

// Returns the number of threads of each of `devices` CPU devices that share these cores. `asked`:
// the number that the user gave, or 0.
std::uint32_t threads_per_device(std::uint32_t cores, std::uint32_t devices, std::uint32_t asked);

// Makes a cluster of CPU devices that share the machine's cores as in a run: evenly, or with one
// core each in turns if there are more devices than cores. `threads` is the number of threads of
// each device; with 0, it follows from the sharing.
simulate::SimulatedCluster nominal_cluster(const ProcessorFacts& facts, const NominalRates& rates,
                                           std::uint32_t devices, std::uint32_t threads);

}  // namespace convoy::calibrate
