#include "core/plugin/surroundings.hpp"

#include <fenv.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <limits>

namespace convoy::plugin {
namespace {

mode_t file_mask() {
  const mode_t mask = ::umask(0);  // there is no way to read it alone
  ::umask(mask);
  return mask;
}

sigset_t blocked_signals() {
  sigset_t blocked;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return blocked;
}

bool runs(__itimer_which timer) {
  itimerval value{};
  return ::getitimer(timer, &value) == 0 &&
         (value.it_value.tv_sec != 0 || value.it_value.tv_usec != 0);
}

int priority() {
  return ::getpriority(PRIO_PROCESS, 0);
}

const char* lowered(__rlimit_resource what) {
  switch (what) {
    case RLIMIT_AS:
      return "lowered the limit of memory (RLIMIT_AS)";
    case RLIMIT_DATA:
      return "lowered the limit of memory (RLIMIT_DATA)";
    case RLIMIT_STACK:
      return "lowered the limit of the stack (RLIMIT_STACK)";
    case RLIMIT_NOFILE:
      return "lowered the limit of open files (RLIMIT_NOFILE)";
    case RLIMIT_FSIZE:
      return "lowered the limit of the size of files (RLIMIT_FSIZE)";
    case RLIMIT_CPU:
      return "lowered the limit of processor time (RLIMIT_CPU)";
    default:
      return "lowered the limit of processes (RLIMIT_NPROC)";
  }
}

}  // namespace

Surroundings::Surroundings()
    : blocked_(blocked_signals()),
      folder_(folder()),
      mask_(file_mask()),
      priority_(priority()),
      floating_point_(floating_point()),
      locale_(std::setlocale(LC_ALL, nullptr)) {
  for (std::size_t i = 0; i < kLimits.size(); ++i) ::getrlimit(kLimits[i], &limits_[i]);
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], nullptr, &actions_[i]);
  for (std::size_t i = 0; i < kTimers.size(); ++i) timers_[i] = runs(kTimers[i]);
  for (int i = 0; i < kStreams; ++i) streams_[i] = stream(i);
  for (char** it = ::environ; it != nullptr && *it != nullptr; ++it) environment_.emplace_back(*it);
}

const char* Surroundings::change() const {
  if (const char* const limit = lowered_limit()) return limit;
  if (signals_differ()) return "changed what signals do";
  if (blocked_signals_differ()) return "changed which signals are blocked";
  if (timers_differ()) return "set a timer";
  if (streams_differ()) return "closed or replaced a standard stream";
  if (folder_ != folder()) return "changed the working folder";
  if (mask_ != file_mask()) return "changed the permissions of new files (umask)";
  if (priority_ != priority()) return "changed the priority of the process";
  if (floating_point_ != floating_point()) return "changed the floating-point environment (fenv.h)";
  if (locale_ != std::setlocale(LC_ALL, nullptr)) return "changed the language (setlocale)";
  if (!has_all_variables()) return "changed variables of the environment";
  return nullptr;
}

Surroundings::FloatingPoint Surroundings::floating_point() {
  const volatile double smallest = std::numeric_limits<double>::min();
  return {::fegetround(), ::fegetexcept(), smallest / 2 > 0};
}

Surroundings::Place Surroundings::folder() {
  struct stat found {};
  return ::stat(".", &found) == 0 ? Place{found.st_dev, found.st_ino} : Place{};
}

Surroundings::Place Surroundings::stream(int descriptor) {
  struct stat found {};
  return ::fstat(descriptor, &found) == 0 ? Place{found.st_dev, found.st_ino} : Place{};
}

const char* Surroundings::lowered_limit() const {
  for (std::size_t i = 0; i < kLimits.size(); ++i) {
    rlimit now{};
    ::getrlimit(kLimits[i], &now);
    if (now.rlim_cur < limits_[i].rlim_cur || now.rlim_max < limits_[i].rlim_max)
      return lowered(kLimits[i]);
  }
  return nullptr;
}

bool Surroundings::signals_differ() const {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now {};
    ::sigaction(kSignals[i], nullptr, &now);
    if (now.sa_handler != actions_[i].sa_handler) return true;
  }
  return false;
}

bool Surroundings::blocked_signals_differ() const {
  const sigset_t now = blocked_signals();
  for (int number = 1; number < NSIG; ++number)
    if (::sigismember(&now, number) != ::sigismember(&blocked_, number)) return true;
  return false;
}

bool Surroundings::timers_differ() const {
  for (std::size_t i = 0; i < kTimers.size(); ++i)
    if (runs(kTimers[i]) != timers_[i]) return true;
  return false;
}

bool Surroundings::streams_differ() const {
  for (int i = 0; i < kStreams; ++i)
    if (stream(i) != streams_[i]) return true;
  return false;
}

bool Surroundings::has_all_variables() const {
  return std::ranges::all_of(environment_, [](const std::string& before) {
    for (char** it = ::environ; it != nullptr && *it != nullptr; ++it)
      if (before == *it) return true;
    return false;
  });
}

}  // namespace convoy::plugin
