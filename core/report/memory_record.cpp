#include "core/report/memory_record.hpp"

#include <sys/resource.h>

#include <nlohmann/json.hpp>

namespace convoy::report {

std::uint64_t MemoryRecord::planned_bytes() const {
  std::uint64_t bytes = 0;
  for (const PlaceMemory& place : places) bytes += place.use.total();
  return bytes;
}

nlohmann::ordered_json to_json(const MemoryRecord& memory) {
  nlohmann::ordered_json places = nlohmann::ordered_json::array();
  for (const PlaceMemory& place : memory.places) {
    places.push_back({{"place", place.place},
                      {"parameters_bytes", place.use.parameters},
                      {"gradients_bytes", place.use.gradients},
                      {"optimizer_state_bytes", place.use.optimizer_state},
                      {"plan_buffers_bytes", place.use.plan_buffers},
                      {"statistics_bytes", place.use.statistics},
                      {"activations_bytes", place.use.activations},
                      {"scratch_bytes", place.use.scratch}});
  }
  return {{"planned_bytes", memory.planned_bytes()},
          {"peak_resident_bytes", memory.peak_resident_bytes},
          {"places", std::move(places)}};
}

std::uint64_t peak_resident_bytes() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  constexpr std::uint64_t kKibibyte = 1024;  // the unit of Linux
  return static_cast<std::uint64_t>(usage.ru_maxrss) * kKibibyte;
}

}  // namespace convoy::report
