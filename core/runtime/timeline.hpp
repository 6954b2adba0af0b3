#pragma once

#include <cstdint>

#include "core/plugin/timeline_access.hpp"

namespace convoy::runtime {

// A counter that one lane of the schedule advances, on a cache line of its own.
struct alignas(64) Timeline {
  std::uint64_t value = 0;
};

inline std::uint64_t value_of(const Timeline& timeline) {
  return plugin::value_of(&timeline.value);
}

}  // namespace convoy::runtime
