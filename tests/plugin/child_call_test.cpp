#include "core/plugin/child_call.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "core/base/process/in_parallel.hpp"
#include "tests/ended_parent.hpp"
#include "tests/plugin/fixtures.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::plugin {
namespace {

using Clock = std::chrono::steady_clock;

FoundPlugin found_plugin() {
  FoundPlugin plugin;
  plugin.manifest.kind = PluginKind::kModel;
  plugin.manifest.name = "x";
  plugin.path = "x.so";
  return plugin;
}

const FoundPlugin kPlugin = found_plugin();

void close_everything() {
  constexpr int kDescriptors = 1024;
  for (int descriptor = 0; descriptor < kDescriptors; ++descriptor) ::close(descriptor);
}

TEST(ChildCall, GivesWhatTheWorkGives) {
  EXPECT_EQ(call_in_child(kPlugin, "testing", 60, [] { return std::string(100'000, 'x'); }),
            std::string(100'000, 'x'));
}

TEST(ChildCall, EndsOneThatClosesItsDescriptorsAndSleeps) {
  expect_error(ExitCode::kUnavailable, {"model x (x.so), testing: it had not returned after 0.3"},
               [] {
                 call_in_child(kPlugin, "testing", 0.3, [] {
                   close_everything();
                   for (;;) ::pause();
                   return std::string();
                 });
               });
}

TEST(ChildCall, TellsOneThatClosesItsDescriptorsFromOneThatCrashes) {
  expect_error(ExitCode::kUnavailable, {"it crashed: signal 9"}, [] {
    call_in_child(kPlugin, "testing", 60, [] {
      close_everything();
      ::kill(::getpid(), SIGKILL);
      return std::string();
    });
  });
}

TEST(ChildCall, EndsWhereTheProcessIgnoresTheEndOfChildren) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(call_in_child(kPlugin, "testing", 60, [] { return std::string(100'000, 'x'); }),
            std::string(100'000, 'x'));
  std::signal(SIGCHLD, before);
}

TEST(ChildCall, LeavesWorkThatGoesOnBesideOthers) {
  std::atomic<int> done = 0;
  in_parallel(4, [&](std::size_t) {
    call_in_child(kPlugin, "testing", 60, [] { return std::string(); });
    ++done;
  });
  EXPECT_EQ(done, 4);
}

// What it started holds the pipe.
TEST(ChildCall, DoesNotWaitForProcessesThatItLeavesBehind) {
  const auto start = Clock::now();
  EXPECT_EQ(call_in_child(kPlugin, "testing", 60,
                          [] {
                            if (::fork() == 0) {
                              ::alarm(20);
                              for (;;) ::pause();
                            }
                            return std::string("done");
                          }),
            "done");
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
}

// It would ask for a signal at its parent's end, which has been.
TEST(ChildCall, DoesNotOutliveAProcessThatIsGoneAlready) {
  const std::string said = scratch_folder("child_call") + "/said";
  ended_parent::start_from([&] {
    call_in_child(kPlugin, "testing", 60, [&] {
      std::ofstream(said) << "it ran";
      return std::string();
    });
  });
  EXPECT_FALSE(std::filesystem::exists(said));
}

long peak_kilobytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(ChildCall, KeepsNothingOfAnAnswerWithoutEnd) {
  std::array<int, 2> next{};  // the descriptors that the call's own pipe will have
  ASSERT_EQ(::pipe(next.data()), 0);
  for (const int descriptor : next) ::close(descriptor);
  const long before = peak_kilobytes();
  expect_error(ExitCode::kUnavailable, {"it had not returned after 0.5"}, [&] {
    call_in_child(kPlugin, "testing", 0.5, [&] {
      const std::string text(1 << 16, 'x');
      for (;;)
        if (::write(next[1], text.data(), text.size()) < 0) return std::string();
    });
  });
  constexpr long kMost = 32 << 10;
  EXPECT_LT(peak_kilobytes() - before, kMost);
}

}  // namespace
}  // namespace convoy::plugin
