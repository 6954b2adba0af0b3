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

// What a run planned to have, and the most that the process had in memory at one time.
struct MemoryRecord {
  std::vector<PlaceMemory> places;
  std::uint64_t peak_resident_bytes = 0;

  std::uint64_t planned_bytes() const;
};

nlohmann::ordered_json to_json(const MemoryRecord& memory);

// The largest resident memory of this process so far; 0 when the system does not say.
std::uint64_t peak_resident_bytes();

}  // namespace convoy::report
