#pragma once

#include <convoy/error.hpp>

namespace convoy {

// Whether a process ends with this code because somebody asked it to end: no failure of its own.
constexpr bool is_interruption(ExitCode code) {
  return code == ExitCode::kInterrupted || code == ExitCode::kTerminated;
}

}  // namespace convoy
