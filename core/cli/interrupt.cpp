#include "core/cli/interrupt.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "core/base/process/last_words.hpp"
#include "core/plugin/watched_call.hpp"

namespace convoy::cli {
namespace {

// A signal handler can access nothing but globals.
volatile std::sig_atomic_t received_signal = 0;
volatile std::sig_atomic_t ends_at_once = 1;
volatile std::sig_atomic_t save_requested = 0;
volatile std::sig_atomic_t standstill_requested = 0;
volatile std::sig_atomic_t suspend_requested = 0;
const char* volatile what_ends_first = nullptr;  // null: no message is printed
std::atomic<std::int64_t> first_signal_at = 0;
InterruptGuard::Clock volatile clock_of_signals = nullptr;

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
// A signal that follows another one within this time is part of the same request.
constexpr std::int64_t kSameWish = 1'000'000'000;  // nanoseconds

ExitCode code_of(int number) {
  if (number == 0) return ExitCode::kOk;
  return number == SIGINT ? ExitCode::kInterrupted : ExitCode::kTerminated;
}

// Keeps errno, because the interrupted code may be about to read it.
class KeptErrno {
 public:
  KeptErrno() : kept_(errno) {}
  ~KeptErrno() { errno = kept_; }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  const int kept_;
};

constexpr std::string_view kTimeIsUsedUp =
    "\nconvoy: the processor time that `ulimit -t` allows is nearly used up\n";

extern "C" void end_at_warning(int) {
  say_at_once(kTimeIsUsedUp);
  ::_exit(static_cast<int>(ExitCode::kTerminated));
}

extern "C" void note_signal(int number) {
  const KeptErrno kept;
  // SIGXCPU comes again in every second from here on.
  const bool time_is_used_up = number == SIGXCPU;
  if (time_is_used_up && received_signal == 0) say_at_once(kTimeIsUsedUp);
  if (ends_at_once != 0) {
    say_at_once("\nconvoy: interrupted before the first step\n");
    ::_exit(static_cast<int>(code_of(number)));
  }
  // Otherwise each further line would raise it again.
  if (number == SIGPIPE) std::signal(SIGPIPE, SIG_IGN);
  if (received_signal != 0) {
    if (number == SIGPIPE || time_is_used_up) return;
    if (clock_of_signals() - first_signal_at < kSameWish) return;
    std::signal(number, SIG_DFL);
    std::raise(number);  // ends the process when this handler returns
    return;
  }
  first_signal_at = clock_of_signals();
  received_signal = number;
  plugin::hurry_calls(code_of(number));
  const char* const what = what_ends_first;
  if (what == nullptr) return;
  say_at_once("\nconvoy: ends after the ");
  say_at_once(what);
  say_at_once(
      " under way; Ctrl-C or another signal, a second from now or later, ends it at once\n");
}

extern "C" void note_save_request(int) {
  save_requested = 1;
}

extern "C" void note_standstill_request(int) {
  standstill_requested = 1;
}

extern "C" void note_suspend_request(int) {
  suspend_requested = 1;
}

// The parent process may block this signal until a handler is installed.
void unblock(int number) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, number);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

void handle_unless_ignored(int number, void (*handler)(int)) {
  if (std::signal(number, handler) == SIG_IGN) std::signal(number, SIG_IGN);
}

void listen_for_lost_output() {
  handle_unless_ignored(SIGPIPE, note_signal);
}

// A signal that arrives between the two lines is merged with the one just read.
bool take(volatile std::sig_atomic_t& request) {
  if (request == 0) return false;
  request = 0;
  return true;
}

}  // namespace

std::int64_t InterruptGuard::monotonic_nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

InterruptGuard::InterruptGuard(Clock clock) {
  received_signal = 0;
  clock_of_signals = clock;
  ends_at_once = 1;
  save_requested = 0;
  what_ends_first = nullptr;
  plugin::hurry_calls(ExitCode::kOk);
  for (const int number : kEnding) {
    if (number == SIGHUP)
      handle_unless_ignored(number, note_signal);  // nohup: the terminal may disappear
    else
      std::signal(number, note_signal);
  }
  standstill_requested = 0;
  std::signal(SIGUSR1, note_save_request);
  std::signal(SIGUSR2, note_standstill_request);
  unblock(SIGUSR2);
}

InterruptGuard::~InterruptGuard() {
  for (const int number : kEnding)
    if (number != SIGXCPU) handle_unless_ignored(number, SIG_DFL);
  if (received_signal == SIGXCPU)
    std::signal(SIGXCPU, SIG_IGN);  // it comes again while the record is written
  else
    end_at_processor_limit();
  if (received_signal != SIGPIPE) handle_unless_ignored(SIGPIPE, SIG_DFL);
  handle_unless_ignored(SIGTSTP, SIG_DFL);
  std::signal(SIGUSR1, SIG_DFL);
  std::signal(SIGUSR2, SIG_IGN);  // it may come while the record is written
}

void InterruptGuard::end_after(const char* what) {
  what_ends_first = what;
  ends_at_once = 0;
  listen_for_lost_output();
}

void InterruptGuard::end_quietly() {
  what_ends_first = nullptr;
  ends_at_once = 0;
  listen_for_lost_output();
}

void end_at_processor_limit() {
  std::signal(SIGXCPU, end_at_warning);
}

bool InterruptGuard::is_ending() {
  return received_signal != 0;
}

int InterruptGuard::signal() const {
  return received_signal;
}

std::string InterruptGuard::signal_name() const {
  const char* const name = ::sigabbrev_np(received_signal);
  return name == nullptr ? "" : fmt::format("SIG{}", name);
}

ExitCode InterruptGuard::code() const {
  return code_of(received_signal);
}

bool InterruptGuard::take_save_request() {
  return take(save_requested);
}

bool InterruptGuard::take_standstill_request() {
  return take(standstill_requested);
}

void InterruptGuard::note_suspension() {
  suspend_requested = 0;
  handle_unless_ignored(SIGTSTP, note_suspend_request);
}

bool InterruptGuard::take_suspend_request() {
  return take(suspend_requested);
}

}  // namespace convoy::cli
