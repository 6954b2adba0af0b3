// The cost of waiting, and how soon a wait ends.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "core/base/process/clocks.hpp"
#include "core/conformance/transport_conformance.hpp"

namespace convoy::conformance {
namespace {

// Returns the times of all threads of this process, including the transport's, by thread id. If the
// kernel does not report them, returns one sum without waits.
std::map<std::string, ThreadSeconds> thread_seconds() {
  std::map<std::string, ThreadSeconds> threads = seconds_of_threads();
  if (threads.empty()) threads["all"] = {processor_seconds(), 0};
  return threads;
}

// Returns the fault, if any, in a wait of `seconds` in which nothing happens.
std::optional<std::string> fault_of_poll(TransportEnd& end, double seconds) {
  const std::map<std::string, ThreadSeconds> before = thread_seconds();
  const Stopwatch all;
  for (const double asked : {0.0, seconds}) {
    const Stopwatch watch;
    const std::size_t events = end.poll(asked);
    if (events != 0) return fmt::format("{} events come where nothing happens", events);
    if (watch.seconds() < asked * 0.95)
      return fmt::format("poll returns after {:.3f} s of {} s, without an event", watch.seconds(),
                         asked);
  }
  const double passed = all.seconds();
  std::vector<ThreadSeconds> spent;
  for (const auto& [number, now] : thread_seconds()) {
    const auto found = before.find(number);
    const ThreadSeconds then = found == before.end() ? ThreadSeconds{} : found->second;
    spent.push_back({now.used - then.used, now.waited - then.waited});
  }
  return fault_of_waiting(spent, passed);
}

// A message is expected that does not come for a while.
void sleeps(TransportEnd& end) {
  end.join();
  char byte = 0;
  if (end.rank() == 1) end.expect(0, 0, &byte, 1);
  end.poll_until_quiet(0.5);
  end.meet();  // after this, both ends are quiet
  const std::optional<std::string> fault = fault_of_poll(end, 1.0);
  end.meet();  // an end with a fault leaves, which must not be an event for the other one
  if (fault) throw Wrong(*fault);
  if (end.rank() == 0) end.send(1, 0, &byte, 1);
  end.finish_all("the message comes in the end");
  end.meet();
}

// A sleeping poll must wake up for a message, in either direction. Otherwise it would sleep for all
// of kPoll.
void wakes(TransportEnd& end) {
  constexpr std::size_t kRounds = 40;
  constexpr double kPoll = 1.0;
  constexpr double kEnough = 5.0;  // seconds of rounds, if they are slow
  end.join();
  std::uint64_t number = 0;
  const auto sends = [&] { return end.send(end.other(), 0, &number, sizeof number); };
  const auto comes = [&] { return end.expect(end.other(), 0, &number, sizeof number); };
  std::vector<double> rounds;
  std::vector<double> meetings;
  const Stopwatch all;
  for (bool over = false; !over;) {
    const Stopwatch round;
    if (end.rank() == 0) end.finish(sends(), "a message is sent", kPoll);
    end.finish(comes(), "the other end's message has come", kPoll);
    if (end.rank() == 1) end.finish(sends(), "the answer is sent", kPoll);
    rounds.push_back(round.seconds());
    const bool enough = rounds.size() == kRounds || all.seconds() > kEnough;
    over = end.meet(enough ? "enough" : "more").front() == "enough";
    const Stopwatch meeting;
    end.meet();
    meetings.push_back(meeting.seconds());
  }
  if (const auto fault = fault_of_answers(rounds, meetings)) throw Wrong(*fault);
  end.meet();
}

bool readable(int descriptor, double seconds) {
  pollfd it{descriptor, POLLIN, 0};
  return ::poll(&it, 1, static_cast<int>(seconds * 1000)) == 1;
}

// A caller that waits only for the descriptor, and then polls without waiting, must not miss
// anything.
void descriptor(TransportEnd& end) {
  constexpr std::uint64_t kBytes = 3 << 20;
  end.join();
  const auto found = end.transport().descriptor();
  if (!found) throw Unsupported("it has no descriptor, so that it is polled regularly");
  std::vector<std::byte> memory(kBytes);
  while (end.poll(0) > 0) {
  }
  end.meet();
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t bytes = i % 2 == 0 ? 100 : kBytes;
    if (end.rank() == 0)
      end.send(1, 0, memory.data(), bytes);
    else
      end.expect(0, 0, memory.data(), bytes);
    for (const Stopwatch watch; end.pending() > 0;) {
      if (!readable(*found, 5.0) || watch.seconds() > 10.0)
        throw Wrong("the descriptor is not readable though a message is due");
      end.poll(0);
    }
  }
  end.meet();
  while (end.poll(0) > 0) {
  }
  int wakes = 0;
  for (const Stopwatch watch; watch.seconds() < 0.3; ++wakes) {
    if (!readable(*found, 0.3)) break;
    end.poll(0);
  }
  if (wakes > 50)
    throw Wrong(fmt::format("the descriptor was readable {} times though nothing happens", wakes));
  end.meet();
}

void describes(TransportEnd& end) {
  end.join();
  const convoy_transport_description it = end.transport().describe();
  if (it.name[0] == '\0') throw Wrong("its description has no name");
  const std::uint32_t known = CONVOY_TRANSPORT_ENCRYPTED | CONVOY_TRANSPORT_REMOTE_WRITE |
                              CONVOY_TRANSPORT_DETECTS_DEATH | CONVOY_TRANSPORT_DEVICE_MEMORY;
  if ((it.flags & ~known) != 0 || it.reserved != 0)
    throw Wrong("its description has flags that are not of this ABI");
  if (!(it.bytes_per_second >= 0) || !(it.latency >= 0))
    throw Wrong("its description has a negative rate or latency");
  const convoy_transport_description again = end.transport().describe();
  if (it.flags != again.flags || std::string(it.detail) != again.detail)
    throw Wrong("its description changes from one call to the next");
  end.meet();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

// A message and its answer wake a process at each end, and so does a meeting. On a busy machine
// both take long.
std::optional<std::string> fault_of_answers(const std::vector<double>& rounds,
                                            const std::vector<double>& meetings) {
  constexpr double kAllowed = 0.01;
  constexpr double kMeetings = 10;  // the transport's own threads take part as well
  const double round = median(rounds);
  const double meeting = median(meetings);
  if (round <= kAllowed + kMeetings * meeting) return std::nullopt;
  return fmt::format(
      "half of {} small messages and their answers took more than {:.1f} ms, where the two "
      "processes meet in {:.2f} ms without the transport",
      rounds.size(), 1000 * round, 1000 * meeting);
}

// A thread that sleeps waits for a processor only when it wakes up. A thread that never sleeps
// waits whenever it has none.
std::optional<std::string> fault_of_waiting(const std::vector<ThreadSeconds>& threads,
                                            double seconds) {
  constexpr double kAllowed = 0.1;
  constexpr double kShortest = 0.01;  // the clocks of threads differ from the caller's
  double share = 0;
  ThreadSeconds all;
  for (const ThreadSeconds& thread : threads) {
    share += thread.used / std::max(kShortest, seconds - thread.waited);
    all.used += thread.used;
    all.waited += thread.waited;
  }
  if (share <= kAllowed) return std::nullopt;
  return fmt::format(
      "waiting {:.2g} s took {:.3f} s of a processor, and {:.3f} s in which others had it", seconds,
      all.used, all.waited);
}

void add_waiting_cases(std::vector<TransportCase>& cases) {
  const auto add = [&](std::string name, std::function<void(TransportEnd&)> check) {
    cases.push_back({"waiting", std::move(name), std::move(check)});
  };
  add("describes itself", describes);
  add("takes no processor", sleeps);
  add("ends when a message comes", wakes);
  add("for the descriptor", descriptor);
}

}  // namespace convoy::conformance
