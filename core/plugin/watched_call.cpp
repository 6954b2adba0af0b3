#include "core/plugin/watched_call.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/base/process/last_words.hpp"

namespace convoy::plugin {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};
// The most seconds that one look counts. A process that was stopped, or got no processor, has not
// waited.
constexpr double kMostPerLook = 0.2;
constexpr double kHurrySeconds = 0.8;
// Seconds beyond the patience. A call that may take more than this need not return at once.
constexpr double kPrompt = 1;

constexpr std::uint64_t kFree = 0;
constexpr std::uint64_t kTaken = 1;      // while it is filled in
constexpr std::uint64_t kCondemned = 2;  // its thread never leaves it
constexpr std::uint64_t kFirstTicket = 3;

// One call. The members that are not atomic are read only after the call was condemned.
struct alignas(64) Slot {
  std::atomic<std::uint64_t> ticket{kFree};
  std::atomic<double> patience{0};
  std::atomic<double> more{0};
  const char* plugin = nullptr;
  std::string_view doing;
};

// Signal handlers and threads that outlive everything else reach nothing but globals.
std::array<Slot, 256> slots;
std::atomic<std::uint64_t> next_ticket{kFirstTicket};
std::atomic<int> ending_code{0};

// A thread tries the slot that it had before first, because that is in its own cache.
std::size_t take_slot() {
  thread_local std::size_t at = next_ticket.load(std::memory_order_relaxed) % slots.size();
  for (std::size_t tries = 0; tries < slots.size(); ++tries) {
    std::uint64_t free = kFree;
    if (slots[at].ticket.compare_exchange_strong(free, kTaken, std::memory_order_acquire))
      return at;
    at = (at + 1) % slots.size();
  }
  return slots.size();
}

// Flushes the buffered lines of standard output, unless the hung thread holds them or nobody takes
// them.
[[noreturn]] void end_at_once(std::string_view text, ExitCode code) {
  say_at_once(text);
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  if (::poll(&output, 1, 0) == 1 && ::ftrylockfile(stdout) == 0) ::fflush_unlocked(stdout);
  ::_exit(static_cast<int>(code));
}

// What the watching thread knows about a slot.
struct Seen {
  std::uint64_t ticket = kFree;
  double seconds = 0;          // since it was first seen
  double seconds_hurried = 0;  // the part of these after the process was asked to end
};

// Writes the text without memory of the heap, which the hung thread may have locked.
[[noreturn]] void end_late(const Slot& slot, double seconds) {
  std::array<char, 2048> text{};
  const auto written =
      fmt::format_to_n(text.data(), text.size(),
                       "\nconvoy: error: {}: {} has not ended after {} seconds; fix it, or remove "
                       "it from the plug-in path (--plugin_timeout gives it more time)\n",
                       slot.plugin, slot.doing, seconds);
  end_at_once({text.data(), std::min(written.size, text.size())}, ExitCode::kUnavailable);
}

[[noreturn]] void end_hurried(const Slot& slot, ExitCode code) {
  std::array<char, 2048> text{};
  const auto written = fmt::format_to_n(
      text.data(), text.size(),
      "\nconvoy: {}: {} does not end, so the run ends without saving its results\n", slot.plugin,
      slot.doing);
  end_at_once({text.data(), std::min(written.size, text.size())}, code);
}

// Ends the process when the call has taken too long.
void look(Slot& slot, Seen& seen, double passed, ExitCode ending) {
  std::uint64_t ticket = slot.ticket.load(std::memory_order_acquire);
  if (ticket < kFirstTicket) return;
  if (ticket != seen.ticket) {
    seen = {ticket, 0, 0};
  } else {
    seen.seconds += passed;
    if (ending != ExitCode::kOk) seen.seconds_hurried += passed;
  }
  const double more = slot.more.load(std::memory_order_relaxed);
  const double allowed = slot.patience.load(std::memory_order_relaxed) + more;
  const bool late = seen.seconds > allowed;
  const bool hurried = !late && more <= kPrompt && seen.seconds_hurried > kHurrySeconds + more;
  if (!late && !hurried) return;
  if (!slot.ticket.compare_exchange_strong(ticket, kCondemned, std::memory_order_acquire)) return;
  if (late) end_late(slot, allowed);
  end_hurried(slot, ending);
}

std::atomic<bool> is_looking{false};

[[noreturn]] void look_for_ever() {
  is_looking = true;
  is_looking.notify_all();
  std::array<Seen, slots.size()> seen{};
  auto before = std::chrono::steady_clock::now();
  for (;;) {
    std::this_thread::sleep_for(kBetweenLooks);
    const auto now = std::chrono::steady_clock::now();
    const double passed = std::chrono::duration<double>(now - before).count();
    before = now;
    const ExitCode ending = hurried_calls();
    for (std::size_t i = 0; i < slots.size(); ++i)
      look(slots[i], seen[i], std::min(passed, kMostPerLook), ending);
  }
}

}  // namespace

WatchedCall::WatchedCall(const char* plugin, std::string_view doing, double patience, double more)
    : slot_(patience > 0 ? take_slot() : slots.size()) {
  if (slot_ == slots.size()) return;
  Slot& slot = slots[slot_];
  slot.plugin = plugin;
  slot.doing = doing;
  slot.patience.store(patience, std::memory_order_relaxed);
  slot.more.store(more, std::memory_order_relaxed);
  ticket_ = next_ticket.fetch_add(1, std::memory_order_relaxed);
  slot.ticket.store(ticket_, std::memory_order_release);
}

WatchedCall::~WatchedCall() {
  if (slot_ == slots.size()) return;
  std::uint64_t expected = ticket_;
  if (slots[slot_].ticket.compare_exchange_strong(expected, kFree, std::memory_order_release))
    return;
  for (;;) ::pause();  // the process is being ended
}

void watch_calls() {
  static std::once_flag started;
  try {
    std::call_once(started, [] { std::thread(look_for_ever).detach(); });
    // A copy of the process must not be made while the thread starts, which takes locks.
    is_looking.wait(false);
  } catch (const std::system_error& error) {
    fail(ExitCode::kUnavailable,
         "the system gives no thread to watch plug-ins: {}; `ulimit -u` limits threads",
         error.what());
  }
}

void hurry_calls(ExitCode code) {
  ending_code.store(static_cast<int>(code), std::memory_order_relaxed);
}

ExitCode hurried_calls() {
  return static_cast<ExitCode>(ending_code.load(std::memory_order_relaxed));
}

}  // namespace convoy::plugin
