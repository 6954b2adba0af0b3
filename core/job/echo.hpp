#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/plugin/transport_plugin.hpp"

namespace convoy::job {

// What a link between two tasks gives before training, as one of them sees it.
struct MeasuredLink {
  double round_trip_seconds = 0;  // of the quickest of some empty-handed messages
  double bytes_per_second = 0;    // from this task to the other
};

// Another task of the run, connected or connecting.
struct EchoPeer {
  std::string name;                    // for messages: "worker 1 (host7, pid 4711)"
  OpenTransport* transport = nullptr;  // null: this task itself
};

struct EchoOptions {
  std::uint32_t rank = 0;  // of this task among the peers
  std::uint32_t generation = 0;
  // Channels of the transports, which nobody else uses, over which large messages go as those of a
  // run do (core/runtime/message_pieces.hpp).
  std::uint32_t first_channel = 0;
  std::uint32_t streams = 1;
  double join_seconds = 60;  // how long a peer may take to connect
  double peer_seconds = 4;   // how long it may take to answer
  // Called now and then; throws when there is no use in waiting any more.
  std::function<void()> look_around;
};

// Every pair of tasks tries its link, so that one that is blocked or slow is known before step 0.
// All tasks call it at the same time: in every round each has one partner, so that pairs disturb
// each other only where they share a network. Error kTimeout naming the task that does not answer.
// One result per peer, zeros for this task.
std::vector<MeasuredLink> measure_links(const std::vector<EchoPeer>& peers,
                                        const EchoOptions& options);

// The partners of a rank, round by round; the rank itself where it has none. Each pair of `ranks`
// meets once, and nobody has two partners in a round.
std::vector<std::uint32_t> partners_of(std::uint32_t rank, std::uint32_t ranks);

}  // namespace convoy::job
