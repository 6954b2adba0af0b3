#pragma once

#include <convoy/error.hpp>

namespace convoy {

// Returns whether a process ends with this code because a signal asked it to end. This is not a
// failure of the process.
constexpr bool is_interruption(ExitCode code) {
  return code == ExitCode::kInterrupted || code == ExitCode::kTerminated;
}

}  // namespace convoy
