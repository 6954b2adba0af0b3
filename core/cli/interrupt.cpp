#include "core/cli/interrupt.hpp"

#include <csignal>

namespace convoy {
namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t received_signal = 0;

extern "C" void note_signal(int number) {
  received_signal = number;
  std::signal(number, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  received_signal = 0;
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::requested() const {
  return received_signal != 0;
}

ExitCode InterruptGuard::code() const {
  if (received_signal == SIGINT) return ExitCode::kInterrupted;
  return received_signal == SIGTERM ? ExitCode::kTerminated : ExitCode::kOk;
}

}  // namespace convoy
