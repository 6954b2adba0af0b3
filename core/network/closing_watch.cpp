#include "core/network/closing_watch.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <mutex>

#include "core/base/error.hpp"
#include "core/base/process/interval_timer.hpp"
#include "core/base/process/last_words.hpp"
#include "core/base/process/process_limits.hpp"

namespace convoy::network {
namespace {

// A process that was stopped gets one tick for all that it missed.
constexpr int kTicks = 10;

std::mutex mutex;
int watches = 0;
bool has_signal = false;
std::atomic<int> ticks_left = 0;

extern "C" void end_after_last_tick(int) {
  if (--ticks_left > 0) return;
  constexpr const char* kWhatHappens =
      "\nconvoy: error: the network between tasks (gRPC) does not close its connections, as where "
      "the system has refused it a thread; ";
  for (const char* const text : {kWhatHappens, thread_limits(),
                                 ": raise the limit, or run fewer processes at the same time\n"})
    say_at_once(text);
  ::_exit(static_cast<int>(ExitCode::kUnavailable));
}

}  // namespace

ClosingWatch::ClosingWatch(std::chrono::milliseconds patience) {
  const std::lock_guard lock(mutex);
  ticks_left = kTicks;
  if (watches++ > 0) return;
  has_signal = has_no_handler(SIGALRM);
  if (!has_signal) return;
  std::signal(SIGALRM, end_after_last_tick);
  alarm_every(std::chrono::microseconds(patience) / kTicks);
}

ClosingWatch::~ClosingWatch() {
  const std::lock_guard lock(mutex);
  if (--watches > 0 || !has_signal) return;
  alarm_every(std::chrono::microseconds(0));
  std::signal(SIGALRM, SIG_DFL);
}

}  // namespace convoy::network
