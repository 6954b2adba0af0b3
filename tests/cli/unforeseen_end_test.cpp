#include "core/cli/unforeseen_end.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace convoy::cli {
namespace {

using testing::ExitedWithCode;

constexpr int kUnavailableCode = 3;

// In a process of its own.
void run_told(const std::function<void()>& work) {
  tell_unforeseen_ends();
  work();
}

void in_a_thread(const std::function<void()>& work) {
  run_told([&] { std::thread(work).join(); });
}

TEST(UnforeseenEnd, WhatTheSystemRefusesAThreadIsToldAsMainTellsIt) {
  EXPECT_EXIT(in_a_thread([] { throw std::bad_alloc(); }), ExitedWithCode(kUnavailableCode),
              "convoy: error: the system gives no more memory");
  EXPECT_EXIT(
      in_a_thread([] {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
      }),
      ExitedWithCode(kUnavailableCode), "`ulimit -u`");
}

TEST(UnforeseenEnd, ADefectStaysACrash) {
  EXPECT_EXIT(in_a_thread([] { throw std::logic_error("a defect"); }),
              testing::KilledBySignal(SIGABRT), "a defect");
}

TEST(UnforeseenEnd, OfALibraryIsNoCodeOfConvoys) {
  EXPECT_EXIT(run_told([] { std::exit(1); }), ExitedWithCode(kUnavailableCode),
              "a library has ended the process");
  EXPECT_EXIT(run_told([] {
                end_is_foreseen();
                std::exit(1);
              }),
              ExitedWithCode(1), "");
}

}  // namespace
}  // namespace convoy::cli
