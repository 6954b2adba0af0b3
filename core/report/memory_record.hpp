#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/process/memory_use.hpp"

namespace convoy::report {

struct PlaceMemory {
  std::string place;  // "cpu:0"
  MemoryUse use;
};

// The memory that a run planned to use, and the peak memory of the process.
struct MemoryRecord {
  std::vector<PlaceMemory> places;
  std::uint64_t peak_resident_bytes = 0;

  std::uint64_t planned_bytes() const;
};

nlohmann::ordered_json to_json(const MemoryRecord& memory);

// Returns the largest resident memory of this process so far; 0 if the system does not report it.
std::uint64_t peak_resident_bytes();

}  // namespace convoy::report
