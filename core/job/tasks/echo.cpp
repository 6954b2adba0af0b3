#include "core/job/tasks/echo.hpp"

#include <convoy/sized.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/process/clocks.hpp"
#include "core/runtime/network/message_pieces.hpp"

namespace convoy::job {
namespace {

constexpr int kRoundTrips = 10;
constexpr std::uint64_t kFirstBytes = std::uint64_t{1} << 16;  // for a first estimate of the rate
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24;
constexpr double kMeasureSeconds = 0.01;  // the number of bytes that take this long gives the rate
constexpr double kLookSeconds = 0.05;     // between two calls of while_waiting

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// This task's end of one link.
class Echo {
 public:
  // The payload has room for kMostBytes.
  Echo(const std::vector<EchoPeer>& peers, std::uint32_t number, const EchoOptions& options,
       std::vector<std::byte>& payload)
      : peers_(peers),
        peer_(peers[number]),
        number_(number),
        options_(options),
        payload_(payload),
        sent_(options.streams, 0),
        received_(options.streams, 0) {}

  // The other end must call answer() meanwhile.
  MeasuredLink measure() {
    MeasuredLink link{std::numeric_limits<double>::infinity(), 0};
    for (int i = 0; i < kRoundTrips; ++i) {
      const Clock::time_point begin = Clock::now();
      send(&word_, sizeof(word_));
      receive(&word_, sizeof(word_));
      link.round_trip_seconds = std::min(link.round_trip_seconds, since(begin));
    }
    link.bytes_per_second = rate_of_enough_bytes(link.round_trip_seconds);
    send(&kNoMore, sizeof(kNoMore));
    return link;
  }

  // Both ends call this at the same time, after each has measured its direction. Each sends the
  // number of bytes that its own direction carries in the same time.
  void measure_both_ways(MeasuredLink& link) {
    std::uint64_t out = bytes_to_measure(link.bytes_per_second);
    std::uint64_t in = 0;
    swap(&out, sizeof(out), &in, sizeof(in));
    if (in > kMostBytes) fail_with("it announces more bytes than there are to measure");
    std::vector<std::byte> incoming(in);
    const double processor_begin = processor_seconds();
    link.both_ways_bytes_per_second = median_of_three([&] {
      swap_words();
      const Clock::time_point begin = Clock::now();
      swap(payload_.data(), out, incoming.data(), in);
      swap_words();
      const double seconds = std::max(since(begin) - link.round_trip_seconds / 2, 1e-9);
      return static_cast<double>(out + in) / seconds;
    });
    link.processor_seconds_per_byte =
        (processor_seconds() - processor_begin) / (3 * static_cast<double>(out + in));
  }

  void answer() {
    for (int i = 0; i < kRoundTrips; ++i) {
      receive(&word_, sizeof(word_));
      send(&word_, sizeof(word_));
    }
    for (;;) {
      std::uint64_t bytes = 0;
      receive(&bytes, sizeof(bytes));
      if (bytes == kNoMore) return;
      if (bytes > kMostBytes) fail_with("it announces more bytes than there are to measure");
      receive(payload_.data(), bytes);
      send(&word_, sizeof(word_));
    }
  }

 private:
  static constexpr std::uint64_t kNoMore = 0;
  // A burst at the beginning may hide the rate. The bytes are enough if kMeasureSeconds, at the
  // rate reached, would need at most this many times as many.
  static constexpr double kEnough = 1.25;

  // Takes the median of three measurements, because a busy host may pause.
  template <typename Measure>
  static double median_of_three(Measure measure) {
    std::array<double, 3> values{};
    for (double& each : values) each = measure();
    std::ranges::sort(values);
    return values[1];
  }

  static std::uint64_t bytes_to_measure(double bytes_per_second) {
    return static_cast<std::uint64_t>(
        std::clamp(bytes_per_second * kMeasureSeconds, double{kFirstBytes}, double{kMostBytes}));
  }

  double rate_of_enough_bytes(double round_trip) {
    for (std::uint64_t bytes = kFirstBytes;;) {
      const double reached = median_of_three([&] { return rate(bytes, round_trip); });
      const std::uint64_t wanted = bytes_to_measure(reached);
      if (static_cast<double>(wanted) <= kEnough * static_cast<double>(bytes)) return reached;
      bytes = wanted;
    }
  }

  double rate(std::uint64_t bytes, double round_trip) {
    send(&bytes, sizeof(bytes));
    const Clock::time_point begin = Clock::now();
    send(payload_.data(), bytes);
    receive(&word_, sizeof(word_));
    // This subtracts the way of the answer. The clock may be too coarse for the rest.
    const double seconds = std::max(since(begin) - round_trip / 2, 1e-9);
    return static_cast<double>(bytes) / seconds;
  }

  void send(const void* memory, std::uint64_t bytes) {
    exchange([&] { begin_sending(memory, bytes); }, "takes nothing");
  }

  void receive(void* memory, std::uint64_t bytes) {
    exchange([&] { begin_receiving(memory, bytes); }, "does not answer");
  }

  // Sends and receives at the same time.
  void swap(const void* out, std::uint64_t out_bytes, void* in, std::uint64_t in_bytes) {
    const auto begin = [&] {
      begin_receiving(in, in_bytes);
      begin_sending(out, out_bytes);
    };
    exchange(begin, "does not answer");
  }

  void swap_words() {
    std::uint64_t word = 0;
    swap(&word_, sizeof(word_), &word, sizeof(word));
  }

  void begin_sending(const void* memory, std::uint64_t bytes) {
    for_each_piece(const_cast<void*>(memory), bytes, sent_,
                   [this](const convoy_transfer& piece) { peer_.transport->send(piece); });
  }

  void begin_receiving(void* memory, std::uint64_t bytes) {
    for_each_piece(memory, bytes, received_,
                   [this](const convoy_transfer& piece) { peer_.transport->expect(piece); });
  }

  template <typename Take>
  void for_each_piece(void* memory, std::uint64_t bytes, std::vector<std::uint64_t>& sequences,
                      Take take) {
    const std::uint64_t most = runtime::piece_bytes(bytes, options_.streams, CONVOY_MESSAGE_BYTES);
    auto transfer = make_sized<convoy_transfer>();
    transfer.peer = number_;
    transfer.tag.generation = options_.generation;
    std::uint32_t pieces = 0;
    for (std::uint64_t done = 0; done < bytes; done += transfer.bytes) {
      const std::uint32_t stream = pieces++ % options_.streams;
      transfer.channel = options_.first_channel + stream;
      transfer.sequence = sequences[stream]++;
      transfer.memory = static_cast<std::byte*>(memory) + done;
      transfer.bytes = std::min(bytes - done, most);
      take(transfer);
      ++pending_;
    }
  }

  // Begins messages and waits for their end. If the transport refuses one of them, the others still
  // have their memory.
  template <typename Begin>
  void exchange(Begin begin, const char* complaint) {
    try {
      begin();
      finish(complaint);
    } catch (...) {
      give_up();
      throw;
    }
  }

  // The peer may not have arrived yet. Once it has, it answers soon.
  void finish(const char* complaint) {
    const double patience =
        std::exchange(is_first_, false) ? options_.join_seconds : options_.peer_seconds;
    const Clock::time_point begin = Clock::now();
    while (poll(), pending_ > 0) {
      if (since(begin) > patience) fail_with(fmt::format("it {} for {:g} s", complaint, patience));
      options_.while_waiting();
    }
  }

  // Counts down the messages that have ended.
  void poll() {
    std::array<convoy_transport_event, 16> room{};
    const std::span<const convoy_transport_event> events =
        peer_.transport->poll(room, kLookSeconds);
    for (const convoy_transport_event& event : events)
      if (event.kind == CONVOY_EVENT_DONE || event.kind == CONVOY_EVENT_CANCELLED) --pending_;
    for (const convoy_transport_event& event : events) {
      if (event.kind == CONVOY_EVENT_PEER_LOST && event.peer == number_) fail_with(event.text);
      if (event.kind == CONVOY_EVENT_PEER_LOST)
        fail(ExitCode::kTimeout, "{} is lost before the first step: {}", name_of(event.peer),
             event.text);
    }
  }

  // The memory of messages belongs to the transport until they have ended. They end within 1 s
  // after interrupt().
  void give_up() noexcept {
    const Clock::time_point begin = Clock::now();
    for (bool interrupted = false; pending_ > 0 && since(begin) < 2;) {
      try {
        if (!std::exchange(interrupted, true)) peer_.transport->interrupt();
        poll();
      } catch (const Error&) {
        // the first error is the one to report
      }
    }
  }

  // A transport is foreign code, so a number that it reports may belong to no peer.
  std::string name_of(std::uint32_t peer) const {
    return peer < peers_.size() ? peers_[peer].name : fmt::format("task {}", peer);
  }

  [[noreturn]] void fail_with(const std::string& what) const {
    fail(ExitCode::kTimeout,
         "the link to {} does not work: {}; check for a firewall between the two machines, and "
         "give --advertise_address where one of them has several networks",
         peer_.name, what);
  }

  const std::vector<EchoPeer>& peers_;
  const EchoPeer& peer_;
  std::uint32_t number_;
  const EchoOptions& options_;
  std::vector<std::byte>& payload_;
  std::uint64_t word_ = 1;
  bool is_first_ = true;
  int pending_ = 0;                  // number of messages that have begun and not ended
  std::vector<std::uint64_t> sent_;  // number of messages per stream
  std::vector<std::uint64_t> received_;
};

// The result of two measurements of one direction.
MeasuredLink faster(const MeasuredLink& first, MeasuredLink second) {
  if (first.bytes_per_second == 0) return second;
  second.round_trip_seconds = std::min(first.round_trip_seconds, second.round_trip_seconds);
  second.bytes_per_second = std::max(first.bytes_per_second, second.bytes_per_second);
  return second;
}

}  // namespace

// A round-robin tournament by the circle method: with an even number, the last one stays, and the
// others move on by one place per round.
std::vector<std::uint32_t> partners_of(std::uint32_t rank, std::uint32_t ranks) {
  const std::uint32_t last = ranks + ranks % 2 - 1;
  std::vector<std::uint32_t> partners;
  for (std::uint32_t round = 0; round < last; ++round) {
    const std::uint32_t facing = (2 * round + last - rank % last) % last;
    std::uint32_t partner = rank == last ? round : facing == rank ? last : facing;
    if (partner >= ranks) partner = rank;
    partners.push_back(partner);
  }
  return partners;
}

std::vector<MeasuredLink> measure_links(const std::vector<EchoPeer>& peers,
                                        const EchoOptions& options) {
  std::vector<MeasuredLink> links(peers.size());
  // The first measurement of a link is slower than later ones, and so is one that another program
  // disturbs. Directions are compared with each other, so each has two, of which the faster counts.
  // Among many tasks that would take long.
  constexpr std::size_t kFewPeers = 32;
  const int turns = peers.size() <= kFewPeers ? 2 : 1;
  // The system gives memory when it is first written, which is not part of a link's time: the first
  // direction to be measured would seem slower than the other.
  std::vector<std::byte> payload(kMostBytes, std::byte{1});
  for (const std::uint32_t partner :
       partners_of(options.rank, static_cast<std::uint32_t>(peers.size()))) {
    if (partner == options.rank) continue;
    Echo echo(peers, partner, options, payload);
    for (int turn = 0; turn < turns; ++turn) {
      if (options.rank > partner) echo.answer();
      links[partner] = faster(links[partner], echo.measure());
      if (options.rank < partner) echo.answer();
    }
    echo.measure_both_ways(links[partner]);
  }
  return links;
}

}  // namespace convoy::job
