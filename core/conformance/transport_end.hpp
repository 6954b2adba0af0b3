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

// Thrown by a case: the transport does not do what it must.
class Wrong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How the ends of a case agree, beside the transport.
class Meeting {
 public:
  virtual ~Meeting() = default;
  // Waits until every living end is here; what each brings, at most CONVOY_ADDRESS_BYTES, in the
  // order of ranks. An end that has gone brings nothing.
  virtual std::vector<std::string> meet(std::string_view mine) = 0;
};

// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// One end of a case: an open transport, whose calls are timed and whose events are checked against
// the rules that hold always (one event per message, the order of every stream, known peers).
class TransportEnd {
 public:
  using Token = std::uint64_t;
  // What has become of a message.
  enum class State { kPending, kDone, kCancelled };

  TransportEnd(const plugin::TransportPlugin& plugin, Meeting& meeting, std::uint32_t rank,
               std::uint32_t ranks, std::uint32_t generation);

  // Another end of the same rank, of another generation.
  TransportEnd successor(std::uint32_t generation) const {
    return {plugin_, meeting_, run_.rank, run_.ranks, generation};
  }

  std::uint32_t rank() const { return run_.rank; }
  std::uint32_t ranks() const { return run_.ranks; }
  // In a case of two ends.
  std::uint32_t other() const { return 1 - run_.rank; }

  // With which the transport is opened; changed before.
  convoy_transport_run& run() { return run_; }
  void open();
  // The addresses of all ends, which meet for that.
  std::vector<std::string> addresses();
  // Opens, connects every pair, waits until all are connected, and meets.
  void join();
  void connect(std::uint32_t peer, const std::string& address);
  // Closes, and requires that it takes no longer than it may.
  void close();
  plugin::OpenTransport& transport() { return *transport_; }
  std::vector<std::string> meet(std::string_view mine = {}) { return meeting_.meet(mine); }

  // Queue the stream's next message. A tag other than the usual one can be given.
  Token send(std::uint32_t peer, std::uint32_t channel, const void* memory, std::uint64_t bytes,
             std::optional<convoy_message_tag> tag = {});
  Token expect(std::uint32_t peer, std::uint32_t channel, void* memory, std::uint64_t bytes,
               std::optional<convoy_message_tag> tag = {});
  convoy_message_tag usual_tag(std::uint32_t channel, std::uint64_t sequence) const;

  // One call of poll. How many events came.
  std::size_t poll(double seconds);
  // Polls until the condition holds, each time for `each` seconds; Wrong with `what` when it does
  // not within `seconds`.
  template <typename Condition>
  void poll_until(Condition condition, double seconds, const std::string& what,
                  double each = 0.02) {
    for (const Stopwatch watch; !condition();) {
      if (watch.seconds() > seconds) throw_not_in_time(what, seconds);
      poll(each);
    }
  }
  // Polls for so long, whatever comes.
  void poll_for(double seconds);
  // Polls until nothing has come for so long: on a busy machine connecting takes its time. Throws
  // Wrong when something comes for ten seconds.
  void poll_until_quiet(double seconds);
  // Polls until the message, or every message, is done.
  void finish(Token token, const std::string& what, double each = 0.02);
  void finish_all(const std::string& what);

  State state(Token token) const { return messages_.at(token - 1).state; }
  // Messages queued that have not ended.
  std::size_t pending() const { return pending_; }
  bool connected(std::uint32_t peer) const { return connected_.contains(peer); }
  // The event with which the peer was lost.
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
  std::vector<Message> messages_;                 // by token - 1
  std::map<Stream, std::vector<Token>> streams_;  // every message, in order
  std::map<Stream, std::size_t> ended_;           // how many of them have ended
  std::map<std::uint32_t, convoy_transport_event> lost_;
  std::map<std::uint32_t, bool> connected_;
  std::size_t pending_ = 0;
  std::uint64_t refused_ = 0;
};

// Bytes that depend on where they are and on the message, and where they differ from that.
void fill_message(void* memory, std::uint64_t bytes, std::uint64_t seed);
std::optional<std::uint64_t> first_wrong_byte(const void* memory, std::uint64_t bytes,
                                              std::uint64_t seed);
// Wrong unless the bytes are those of fill_message.
void require_message(const void* memory, std::uint64_t bytes, std::uint64_t seed,
                     const std::string& what);

}  // namespace convoy::conformance
