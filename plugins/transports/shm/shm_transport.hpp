#pragma once

#include <convoy/transport.hpp>
#include <convoy/transport_events.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "plugins/transports/shm/introductions.hpp"
#include "plugins/transports/shm/pair.hpp"

namespace convoy::shm {

// Moves bytes between the tasks of one machine, through memory without a name that disappears with
// the two processes that share it. It has no threads: all work happens in the calls. A waiting task
// sleeps in epoll, whose descriptor is the transport's. Its peers wake it through the sockets of
// their introductions, which also report that a process has ended.
class ShmTransport : public Transport {
 public:
  static constexpr std::uint32_t kTraits = CONVOY_TRANSPORT_ONE_MACHINE;
  static constexpr std::uint32_t kPreference = CONVOY_PREFERENCE_MEMORY;

  static void available(const TransportHost& host);
  static std::unique_ptr<Transport> open(const TransportHost& host,
                                         const convoy_transport_run& run);

  // direct: whether to read memory of other tasks if the system permits it.
  ShmTransport(const convoy_transport_run& run, bool direct);

  void describe(convoy_transport_description& out) override;
  std::string address() override;
  void connect(std::uint32_t peer, std::string_view address) override;
  void expect(const convoy_transfer& transfer) override;
  void send(const convoy_transfer& transfer) override;
  std::uint64_t poll(std::span<convoy_transport_event> out, double seconds) override;
  void interrupt() override;
  std::optional<int> descriptor() override;

 private:
  // A peer for which connect was called.
  struct Peer {
    std::unique_ptr<Pair> pair;
    double deadline;  // for the connection
  };

  Pair& pair_of(const convoy_transfer& transfer);
  void after_call(Pair& pair);
  void ring();
  void work();
  void introduce();
  void establish(Introduced introduced);
  void lose_late_ones();
  bool fall_asleep();
  void hear(double seconds);
  void leave();
  double next_deadline(double until) const;

  convoy_transport_run run_;
  std::string machine_;
  std::uint64_t probe_;
  bool direct_;
  Descriptor epoll_;
  Descriptor bell_;  // readable when a poll has something to do for which no peer rings
  Introductions introductions_;
  TransportEvents events_;
  std::map<std::uint32_t, Peer> peers_;
  bool introductions_due_ = true;
  bool watched_ = false;  // a caller waits for the descriptor
  bool rung_ = false;
  unsigned polls_ = 0;
  bool interrupted_ = false;
};

}  // namespace convoy::shm
