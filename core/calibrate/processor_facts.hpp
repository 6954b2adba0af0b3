#pragma once

#include <hwloc.h>

#include <cstdint>
#include <string>

#include "core/base/system/system_root.hpp"

namespace convoy::calibrate {

// The part of the machine that this process may use, as the system describes it. None of this is
// measured.
struct ProcessorFacts {
  std::string model = "processor";     // "AMD EPYC 7763 64-Core Processor"
  std::uint32_t cores = 1;             // the cores that this process may use and CPU devices share
  std::uint32_t machine_cores = 1;     // all cores, also those that taskset excludes
  std::uint32_t packages = 1;          // packages with memory of their own that have these cores
  std::uint64_t cache_bytes = 0;       // all last-level caches together; 0 = unknown
  std::uint64_t memory_bytes = 0;      // 0 = unknown
  double hertz = 0;                    // 0 = unknown
  double multiply_adds_per_cycle = 0;  // in f32, by the vector instructions of one core
  std::string instructions;            // "AVX2 and FMA"
  double half_gain = 1;                // how many times faster products of bf16 are
  std::string half_instructions;       // "AMX"
};

// Returns the frequency of the first core while all cores work, as far as the system states it: its
// base frequency, or else its highest one. The present frequency, which is lower if the core is
// idle, is used only if the system states nothing else, as in virtual machines. 0 = unknown.
double processor_hertz(const SystemRoot& root);

// Returns the bytes of all last-level caches of these cores together; 0 = unknown. No processor has
// more than 48 MiB per core (EPYC 7373X, 9184X). A virtual machine with more reports the caches of
// its whole host.
std::uint64_t last_level_bytes(hwloc_topology_t machine);

// Reads the facts of this machine. Throws Error (kUnavailable) if hwloc cannot read its topology.
ProcessorFacts read_processor_facts();

}  // namespace convoy::calibrate
