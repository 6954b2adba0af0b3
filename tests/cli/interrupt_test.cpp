// Signals, with a clock of the test's own.
#include "core/cli/interrupt.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

namespace convoy::cli::interrupt_test {

constexpr std::int64_t kSecond = 1'000'000'000;
std::int64_t now = 0;  // nanoseconds; a signal handler's clock has nothing to refer to

std::int64_t told_time() {
  return now;
}

// After a signal calls of plug-ins are hurried until the next guard.
class Interrupt : public testing::Test {
 protected:
  void SetUp() override { std::signal(SIGPIPE, SIG_DFL); }  // what starts the tests may ignore it
  void TearDown() override { const InterruptGuard next; }
};

// `timeout` signals its child and then the group that both are in.
TEST_F(Interrupt, SignalsWithinASecondAreOne) {
  now = 5 * kSecond;
  InterruptGuard guard(&told_time);
  guard.end_quietly();
  EXPECT_EQ(guard.signal_name(), "");
  std::raise(SIGTERM);
  std::raise(SIGTERM);
  now += kSecond - 1;
  std::raise(SIGTERM);
  std::raise(SIGINT);
  EXPECT_EQ(guard.code(), ExitCode::kTerminated);
  EXPECT_EQ(guard.signal_name(), "SIGTERM");
}

TEST_F(Interrupt, ALaterSecondSignalEndsTheProcess) {
  for (const int second : {SIGINT, SIGTERM}) {
    const auto interrupt_twice = [second] {
      now = 0;
      InterruptGuard guard(&told_time);
      guard.end_quietly();
      std::raise(SIGINT);
      now += kSecond;
      std::raise(second);
    };
    EXPECT_EXIT(interrupt_twice(), ::testing::KilledBySignal(second), "");
  }
}

// A write that fails is told by it, and a message of the handler may fail, too.
TEST_F(Interrupt, WhatASystemCallSaysOutlivesASignal) {
  InterruptGuard guard(&told_time);
  guard.end_after_steps();
  const int standard_error = ::dup(STDERR_FILENO);
  ::close(STDERR_FILENO);
  errno = ENOSPC;
  std::raise(SIGINT);
  const int left = errno;
  ::dup2(standard_error, STDERR_FILENO);
  ::close(standard_error);
  EXPECT_EQ(left, ENOSPC);
}

// Before a limit of processor time kills it.
TEST_F(Interrupt, TheLimitOfProcessorTimeEndsSteps) {
  InterruptGuard guard(&told_time);
  guard.end_quietly();
  std::raise(SIGXCPU);
  EXPECT_EQ(guard.code(), ExitCode::kTerminated);
}

// It warns again in every second of processor time, until it kills.
TEST_F(Interrupt, TheLimitOfProcessorTimeMayWarnAgain) {
  now = 0;
  {
    InterruptGuard guard(&told_time);
    guard.end_quietly();
    for (int warning = 0; warning < 3; ++warning) {
      std::raise(SIGXCPU);
      now += 2 * kSecond;
    }
    EXPECT_EQ(guard.code(), ExitCode::kTerminated);
  }
  std::raise(SIGXCPU);  // while the record is written
}

// Every further line raises it again.
TEST_F(Interrupt, LostOutputEndsStepsButNotTheProcess) {
  now = 0;
  InterruptGuard guard(&told_time);
  guard.end_quietly();
  std::raise(SIGPIPE);
  now += 2 * kSecond;
  std::raise(SIGPIPE);
  EXPECT_EQ(guard.code(), ExitCode::kTerminated);
  EXPECT_EQ(guard.signal_name(), "SIGPIPE");
  std::signal(SIGPIPE, SIG_DFL);
}

TEST_F(Interrupt, LostOutputStaysIgnoredWhereItWas) {
  std::signal(SIGPIPE, SIG_IGN);
  {
    InterruptGuard guard(&told_time);
    guard.end_quietly();
    std::raise(SIGPIPE);
    EXPECT_FALSE(guard.requested());
  }
  EXPECT_EQ(std::signal(SIGPIPE, SIG_DFL), SIG_IGN);
}

// What the user is told to do does it.
TEST_F(Interrupt, SaysWhenAnotherSignalEndsTheProcess) {
  const auto interrupt_as_told = [] {
    now = 0;
    InterruptGuard guard(&told_time);
    guard.end_after_steps();
    std::raise(SIGINT);
    std::raise(SIGINT);  // at once it is the same wish
    now += kSecond;
    std::raise(SIGINT);
  };
  EXPECT_EXIT(interrupt_as_told(), ::testing::KilledBySignal(SIGINT),
              "ends after the steps under way; .* a second from now or later, ends it at once");
}

TEST_F(Interrupt, BeforeTheFirstStepOneSignalEndsTheProcess) {
  const auto interrupt = [] {
    const InterruptGuard guard(&told_time);
    std::raise(SIGINT);
  };
  EXPECT_EXIT(interrupt(), ::testing::ExitedWithCode(130), "before the first step");
}

}  // namespace convoy::cli::interrupt_test
