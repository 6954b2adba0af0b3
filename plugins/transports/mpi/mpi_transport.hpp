#pragma once

#include <convoy/transport.hpp>
#include <convoy/transport_events.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "plugins/transports/mpi/frames.hpp"
#include "plugins/transports/mpi/pair.hpp"

namespace convoy::mpi {

// The first data of a process, which identify it.
struct Hello {
  std::uint8_t key[32] = {};
  std::uint32_t rank = 0;
  std::uint32_t ranks = 0;
  std::uint32_t channels = 0;
  std::uint32_t generation = 0;
};

// Moves bytes over the fabric of an MPI job, between the processes that mpirun or srun has started.
// It has no threads: all work happens in the calls. If a process dies, the launcher ends the job.
class MpiTransport : public Transport {
 public:
  static constexpr std::uint32_t kTraits = CONVOY_TRANSPORT_LAUNCHED;
  static constexpr std::uint32_t kPreference = CONVOY_PREFERENCE_FABRIC;

  static void available(const TransportHost& host);
  static std::unique_ptr<Transport> open(const TransportHost& host,
                                         const convoy_transport_run& run);
  static void exchange(const TransportHost& host, std::span<const std::byte> mine, double seconds,
                       std::byte* all, std::uint32_t& rank, std::uint32_t& ranks);

  explicit MpiTransport(const convoy_transport_run& run);
  ~MpiTransport() override;

  void describe(convoy_transport_description& out) override;
  std::string address() override;
  void connect(std::uint32_t peer, std::string_view address) override;
  void expect(const convoy_transfer& transfer) override;
  void send(const convoy_transfer& transfer) override;
  std::uint64_t poll(std::span<convoy_transport_event> out, double seconds) override;
  void interrupt() override;

 private:
  struct Peer {
    std::unique_ptr<Pair> pair;
    double deadline;  // for its greeting
  };

  Pair& pair_of(const convoy_transfer& transfer);
  bool progress();
  void take(int source, std::size_t bytes, const std::byte* memory);
  void take_frame(int source, const Frame& frame, const std::byte* payload);
  void greeted(int source, const std::byte* payload, std::size_t bytes);
  Pair* pair_with(int source);
  void send_frame(int to, FrameKind kind, const void* payload, std::size_t bytes);
  void lose_late_ones();
  bool busy() const;

  convoy_transport_run run_;
  OutgoingParcels outgoing_;
  IncomingParcels incoming_;
  TransportEvents events_;
  std::map<std::uint32_t, Peer> peers_;
  std::map<int, Hello> early_;  // greetings of processes for which connect was not called yet
  double busy_until_ = 0;       // after interrupt: when MPI must have released all spans
};

}  // namespace convoy::mpi
