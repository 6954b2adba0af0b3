#include "core/network/closing_watch.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <convoy/threads.hpp>
#include <csignal>
#include <mutex>

#include "core/base/error.hpp"
#include "core/base/last_words.hpp"

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
  for (const char* const text : {"\nconvoy: error: the network between tasks (gRPC) does not close "
                                 "its connections, as where "
                                 "the system has refused it a thread; ",
                                 kThreadLimits, ": raise the limit\n"})
    say_at_once(text);
  ::_exit(static_cast<int>(ExitCode::kUnavailable));
}

void tick_every(std::chrono::microseconds interval) {
  constexpr std::int64_t kPerSecond = 1'000'000;
  const timeval once{static_cast<time_t>(interval.count() / kPerSecond),
                     static_cast<suseconds_t>(interval.count() % kPerSecond)};
  const itimerval every{once, once};
  ::setitimer(ITIMER_REAL, &every, nullptr);
}

}  // namespace

ClosingWatch::ClosingWatch(std::chrono::milliseconds patience) {
  const std::lock_guard lock(mutex);
  ticks_left = kTicks;
  if (watches++ > 0) return;
  struct sigaction before {};
  has_signal = ::sigaction(SIGALRM, nullptr, &before) == 0 && before.sa_handler == SIG_DFL;
  if (!has_signal) return;
  std::signal(SIGALRM, end_after_last_tick);
  tick_every(std::chrono::microseconds(patience) / kTicks);
}

ClosingWatch::~ClosingWatch() {
  const std::lock_guard lock(mutex);
  if (--watches > 0 || !has_signal) return;
  tick_every(std::chrono::microseconds(0));
  std::signal(SIGALRM, SIG_DFL);
}

}  // namespace convoy::network
