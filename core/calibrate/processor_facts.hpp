#pragma once

#include <cstdint>
#include <string>

namespace convoy::calibrate {

// What this process may use of the machine that it runs on, as the system describes it; nothing
// here was measured.
struct ProcessorFacts {
  std::string model = "processor";     // "AMD EPYC 7763 64-Core Processor"
  std::uint32_t cores = 1;             // that CPU devices share: those this process may use
  std::uint32_t machine_cores = 1;     // with those that taskset keeps from it
  std::uint64_t cache_bytes = 0;       // of all last-level caches together; 0 = unknown
  std::uint64_t memory_bytes = 0;      // 0 = unknown
  double hertz = 0;                    // 0 = unknown
  double multiply_adds_per_cycle = 0;  // f32, of one core, by its vector instructions
  std::string instructions;            // "AVX2 and FMA"
  double half_gain = 1;                // how many times as fast products of bf16 are
  std::string half_instructions;       // "AMX"
};

// Reads those of this machine. Throws Error kUnavailable when hwloc cannot read its topology.
ProcessorFacts read_processor_facts();

}  // namespace convoy::calibrate
