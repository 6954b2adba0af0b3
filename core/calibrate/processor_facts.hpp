#pragma once

#include <hwloc.h>

#include <cstdint>
#include <string>

#include "core/base/system_root.hpp"

namespace convoy::calibrate {

// What this process may use of the machine that it runs on, as the system describes it; nothing
// here was measured.
struct ProcessorFacts {
  std::string model = "processor";     // "AMD EPYC 7763 64-Core Processor"
  std::uint32_t cores = 1;             // that CPU devices share: those this process may use
  std::uint32_t machine_cores = 1;     // with those that taskset keeps from it
  std::uint32_t packages = 1;          // with memory of their own, that these cores are in
  std::uint64_t cache_bytes = 0;       // of all last-level caches together; 0 = unknown
  std::uint64_t memory_bytes = 0;      // 0 = unknown
  double hertz = 0;                    // 0 = unknown
  double multiply_adds_per_cycle = 0;  // f32, of one core, by its vector instructions
  std::string instructions;            // "AVX2 and FMA"
  double half_gain = 1;                // how many times as fast products of bf16 are
  std::string half_instructions;       // "AMX"
};

// What the first core runs at while all do, as far as the system says: its base, else its most.
// What it runs at now, which is less when it is idle, only where nothing else is said, as in
// virtual machines. 0 = unknown.
double processor_hertz(const SystemRoot& root);

// Bytes of all last-level caches of these cores together; 0 = unknown. No processor has more than
// 48 MiB per core (EPYC 7373X, 9184X); a virtual machine that claims more has been told of the
// caches of its whole host.
std::uint64_t last_level_bytes(hwloc_topology_t machine);

// Reads those of this machine. Throws Error kUnavailable when hwloc cannot read its topology.
ProcessorFacts read_processor_facts();

}  // namespace convoy::calibrate
