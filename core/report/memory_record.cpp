#include "core/report/memory_record.hpp"

#include <sys/resource.h>

#include <nlohmann/json.hpp>

namespace convoy {

std::uint64_t PlaceMemory::total() const {
  return parameters + gradients + optimizer_state + plan_buffers + statistics + activations +
         scratch;
}

std::uint64_t MemoryRecord::planned_bytes() const {
  std::uint64_t bytes = 0;
  for (const PlaceMemory& place : places) bytes += place.total();
  return bytes;
}

nlohmann::ordered_json to_json(const MemoryRecord& memory) {
  nlohmann::ordered_json places = nlohmann::ordered_json::array();
  for (const PlaceMemory& place : memory.places) {
    places.push_back({{"place", place.place},
                      {"parameters_bytes", place.parameters},
                      {"gradients_bytes", place.gradients},
                      {"optimizer_state_bytes", place.optimizer_state},
                      {"plan_buffers_bytes", place.plan_buffers},
                      {"statistics_bytes", place.statistics},
                      {"activations_bytes", place.activations},
                      {"scratch_bytes", place.scratch}});
  }
  return {{"planned_bytes", memory.planned_bytes()},
          {"peak_resident_bytes", memory.peak_resident_bytes},
          {"places", std::move(places)}};
}

std::uint64_t peak_resident_bytes() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  constexpr std::uint64_t kKibibyte = 1024;  // Linux counts in these
  return static_cast<std::uint64_t>(usage.ru_maxrss) * kKibibyte;
}

}  // namespace convoy
