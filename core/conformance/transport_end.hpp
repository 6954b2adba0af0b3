#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/plugin/transport_plugin.hpp"

namespace convoy::conformance {

// Thrown by a case if the transport breaks a rule.
class Wrong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The means by which the ends of a case synchronise without the transport.
class Meeting {
 public:
  virtual ~Meeting() = default;
  // Waits until every living end is here. Returns the text that each brings, at most
  // CONVOY_ADDRESS_BYTES, in the order of ranks. The text of an end that has gone is empty.
  virtual std::vector<std::string> meet(std::string_view mine) = 0;
};

// Measures seconds since its construction.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// One end of a case: an open transport. Its calls are timed, and its events are checked against the
// rules that always hold (one event per message, the order of every stream, known peers).
class TransportEnd {
 public:
  using Token = std::uint64_t;
  // The state of a message.
  enum class State { kPending, kDone, kCancelled };

  TransportEnd(const plugin::TransportPlugin& plugin, Meeting& meeting, std::uint32_t rank,
               std::uint32_t ranks, std::uint32_t generation);

  // Returns another end of the same rank, of another generation.
  TransportEnd successor(std::uint32_t generation) const {
    return {plugin_, meeting_, run_.rank, run_.ranks, generation};
  }

  std::uint32_t rank() const { return run_.rank; }
  std::uint32_t ranks() const { return run_.ranks; }
  // Returns the other rank in a case of two ends.
  std::uint32_t other() const { return 1 - run_.rank; }

  // The options with which open() opens the transport. Change them before.
  convoy_transport_run& run() { return run_; }
  void open();
  // Returns the addresses of all ends. All ends must call it.
  std::vector<std::string> addresses();
  // Opens, connects every pair, waits until all are connected, and meets the other ends.
  void join();
  void connect(std::uint32_t peer, const std::string& address);
  // Closes, and checks that this does not take too long.
  void close();
  plugin::OpenTransport& transport() { return *transport_; }
  std::vector<std::string> meet(std::string_view mine = {}) { return meeting_.meet(mine); }

  // Queues the stream's next message. A tag other than the usual one may be given.
  Token send(std::uint32_t peer, std::uint32_t channel, const void* memory, std::uint64_t bytes,
             std::optional<convoy_message_tag> tag = {});
  Token expect(std::uint32_t peer, std::uint32_t channel, void* memory, std::uint64_t bytes,
               std::optional<convoy_message_tag> tag = {});
  convoy_message_tag usual_tag(std::uint32_t channel, std::uint64_t sequence) const;

  // Calls poll once. Returns the number of events.
  std::size_t poll(double seconds);
  // Polls until the condition holds, each time for `each` seconds. Throws Wrong with `what` if it
  // does not hold within `seconds`.
  template <typename Condition>
  void poll_until(Condition condition, double seconds, const std::string& what,
                  double each = 0.02) {
    for (const Stopwatch watch; !condition();) {
      if (watch.seconds() > seconds) throw_not_in_time(what, seconds);
      poll(each);
    }
  }
  // Polls for this time, whatever comes.
  void poll_for(double seconds);
  // Polls until nothing has come for `seconds`, because connecting takes its time on a busy
  // machine. Throws Wrong if events keep coming for ten seconds.
  void poll_until_quiet(double seconds);
  // Polls until the message, or every message, is done.
  void finish(Token token, const std::string& what, double each = 0.02);
  void finish_all(const std::string& what);

  State state(Token token) const { return messages_.at(token - 1).state; }
  // Returns the number of queued messages that have not ended.
  std::size_t pending() const { return pending_; }
  bool connected(std::uint32_t peer) const { return connected_.contains(peer); }
  // Returns the event with which the peer was lost; null if it was not lost.
  const convoy_transport_event* lost(std::uint32_t peer) const;
  std::uint64_t refused() const { return refused_; }

 private:
  struct Message {
    bool sent;
    std::uint32_t peer;
    std::uint32_t channel;
    State state = State::kPending;
  };
  using Stream = std::tuple<bool, std::uint32_t, std::uint32_t>;

  [[noreturn]] void throw_not_in_time(const std::string& what, double seconds) const;
  Token queue(bool sent, std::uint32_t peer, std::uint32_t channel, void* memory,
              std::uint64_t bytes, const std::optional<convoy_message_tag>& tag);
  void take(const convoy_transport_event& event);
  void end_message(const convoy_transport_event& event, State state);
  void require_known_peer(const convoy_transport_event& event) const;

  const plugin::TransportPlugin& plugin_;
  Meeting& meeting_;
  convoy_transport_run run_{};
  std::unique_ptr<plugin::OpenTransport> transport_;
  std::vector<Message> messages_;                 // index: token - 1
  std::map<Stream, std::vector<Token>> streams_;  // all messages of each stream, in order
  std::map<Stream, std::size_t> ended_;  // number of messages of each stream that have ended
  std::map<std::uint32_t, convoy_transport_event> lost_;
  std::map<std::uint32_t, bool> connected_;
  std::size_t pending_ = 0;
  std::uint64_t refused_ = 0;
};

// Fills memory with bytes that depend on their position and on the message's seed, and finds bytes
// that differ from these.
void fill_message(void* memory, std::uint64_t bytes, std::uint64_t seed);
std::optional<std::uint64_t> first_wrong_byte(const void* memory, std::uint64_t bytes,
                                              std::uint64_t seed);
// Throws Wrong unless the bytes are those of fill_message.
void require_message(const void* memory, std::uint64_t bytes, std::uint64_t seed,
                     const std::string& what);

}  // namespace convoy::conformance
