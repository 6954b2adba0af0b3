#include "core/runtime/trial/call_watch.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

namespace convoy::runtime {
namespace {

// Short naps notice the end of quick calls soon; naps grow with the length of a call.
constexpr double kShortestNap = 1e-4;
constexpr double kNapsPerTime = 8;
constexpr double kNapsPerLimit = 16;
constexpr double kMostPerNap = 2;  // a longer nap means that this process was stopped

}  // namespace

int CallWatch::wait(rusage& used) {
  int status = 0;
  while (wait4(child_, &status, WNOHANG, &used) == 0) {
    if (!was_late_ && is_late()) {
      was_late_ = true;
      kill(child_, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(nap_));
  }
  return status;
}

bool CallWatch::is_late() {
  const std::uint64_t calls = std::atomic_ref<std::uint64_t>(calls_).load();
  const ProcessTime now = time_of(child_);
  if (calls != seen_ || nap_ == 0) {
    seen_ = calls;
    begun_ = now;
    on_wall_ = 0;
  } else {
    on_wall_ += std::min(now.on_wall - last_look_, kMostPerNap * nap_);
  }
  last_look_ = now.on_wall;
  nap_ = std::max(kShortestNap, std::min(on_wall_ / kNapsPerTime, limit_ / kNapsPerLimit));
  const bool in_call = calls % 2 == 1;
  return in_call && counted_seconds({on_wall_, now.computed - begun_.computed,
                                     now.waited - begun_.waited}) >= limit_;
}

}  // namespace convoy::runtime
