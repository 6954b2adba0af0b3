#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace convoy {

// Bytes that a run has planned in one place, by what they are for.
struct PlaceMemory {
  std::string place;  // "cpu:0"
  std::uint64_t parameters = 0;
  std::uint64_t gradients = 0;
  std::uint64_t optimizer_state = 0;
  std::uint64_t plan_buffers = 0;  // of the strategy, staging included
  std::uint64_t statistics = 0;    // of batch norm
  std::uint64_t activations = 0;   // and their gradients, as many as live at one time
  std::uint64_t scratch = 0;       // of single layers

  std::uint64_t total() const;
};

// What a run planned to have, and the most that the process had in memory at one time.
struct MemoryRecord {
  std::vector<PlaceMemory> places;
  std::uint64_t peak_resident_bytes = 0;

  std::uint64_t planned_bytes() const;
};

nlohmann::ordered_json to_json(const MemoryRecord& memory);

// Of this process so far; 0 when the system does not say.
std::uint64_t peak_resident_bytes();

}  // namespace convoy
