#pragma once

#include <chrono>
#include <condition_variable>
#include <convoy/transport.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/in_process_network.hpp"

namespace convoy::testing {

// Matches the sends and expects of all tasks; a thread delivers them when they are due.
class Hub {
 public:
  Hub(std::uint32_t ranks, const InProcessOptions& options);
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  const InProcessOptions& options() const { return options_; }
  int descriptor(std::uint32_t rank) const { return ends_[rank].descriptor; }

  // The functions of a task's transport.
  void connect(std::uint32_t rank, std::uint32_t peer);
  void add(std::uint32_t rank, const convoy_transfer& transfer, bool sends);
  std::uint64_t poll(std::uint32_t rank, std::span<convoy_transport_event> out, double seconds);
  void interrupt(std::uint32_t rank);

  // All others lose the task, for a convoy_transport_reason.
  void lose(std::uint32_t rank, std::uint32_t reason, const std::string& text);
  void drop_after(std::uint32_t from, std::uint32_t to, std::uint64_t messages);
  void stop(std::uint32_t rank, bool stopped);

 private:
  using Clock = std::chrono::steady_clock;
  struct Sent {
    convoy_transfer transfer{};
    // The bytes of an eager message, whose sender is done with it
    std::optional<std::vector<std::byte>> copy{};
  };
  struct Stream {
    std::deque<Sent> sent{};
    std::deque<convoy_transfer> expected{};
    std::optional<Clock::time_point> due{};  // delivery time of the first pair
  };
  struct End {
    std::deque<convoy_transport_event> events{};
    std::condition_variable arrived{};
    std::set<std::uint32_t> lost{};
    bool interrupted = false;
    bool stopped = false;
    int descriptor = -1;
  };
  using StreamKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, channel

  void tell(std::uint32_t rank, const convoy_transport_event& event);
  void send(std::uint32_t rank, Stream& stream, const convoy_transfer& transfer);
  void lose_peer(std::uint32_t rank, std::uint32_t peer, std::uint32_t reason,
                 const std::string& text);
  void cancel_of(std::uint32_t rank, std::optional<std::uint32_t> peer);
  bool moves(const StreamKey& key, const Stream& stream) const;
  void deliver_all();
  Clock::duration delay();
  void deliver(const StreamKey& key, Stream& stream);

  InProcessOptions options_;
  std::mt19937_64 random_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::vector<End> ends_;
  std::map<StreamKey, Stream> streams_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> passes_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace convoy::testing
