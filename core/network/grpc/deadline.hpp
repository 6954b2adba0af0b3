#pragma once

#include <grpc/support/time.h>

#include <chrono>

namespace convoy::network {

// A deadline for gRPC, by the clock that nobody sets: the wall clock may jump while something
// waits.
inline gpr_timespec deadline_after(std::chrono::milliseconds time) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_millis(time.count(), GPR_TIMESPAN));
}

}  // namespace convoy::network
