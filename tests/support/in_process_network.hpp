#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/plugin/transport_plugin.hpp"

namespace convoy::testing {

class Hub;

struct InProcessOptions {
  std::uint64_t seed = 1;
  double longest_delay =
      0;                   // seconds from the meeting of send and expect to the delivery, at random
  bool eager = false;      // sends of up to 64 kB are done before they are expected
  bool descriptor = true;  // transports have a descriptor to sleep on
};

// Transports that join tasks which are threads of this process, through the ABI. Nothing is
// buffered unless `eager` says so: a message moves when both ends have named it. A message that
// differs at its two ends loses the peer.
class InProcessNetwork {
 public:
  explicit InProcessNetwork(std::uint32_t ranks, const InProcessOptions& options = {});
  ~InProcessNetwork();

  // Returns the task's transport, connected to all others. Destroy it before the network.
  std::unique_ptr<plugin::OpenTransport> open(std::uint32_t rank);
  std::uint32_t ranks() const { return ranks_; }
  // Tells every other task that this one has died. Its later actions reach no task.
  void kill(std::uint32_t rank, const std::string& reason);
  // From now on, only this many more messages from one task to another arrive.
  void drop_after(std::uint32_t from, std::uint32_t to, std::uint64_t messages);
  // Nothing moves to or from the task until it continues, but it is not lost.
  void stop(std::uint32_t rank);
  void go_on(std::uint32_t rank);

 private:
  std::uint32_t ranks_;
  std::shared_ptr<Hub> hub_;
  std::unique_ptr<plugin::TransportPlugin> plugin_;
};

}  // namespace convoy::testing
