#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/plugin/transport_plugin.hpp"

namespace convoy::job {

// A link between two tasks, as one of them measured it before training.
struct MeasuredLink {
  double round_trip_seconds = 0;  // the shortest of several round trips of an empty message
  // From this task to the other, with no traffic in the other direction.
  double bytes_per_second = 0;
  double both_ways_bytes_per_second = 0;  // total of both directions, while both tasks send
  // Time of this task's processor cores for a byte that is sent or received.
  double processor_seconds_per_byte = 0;
};

// Another task of the run, connected or connecting.
struct EchoPeer {
  std::string name;                            // for messages: "worker 1 (host7, pid 4711)"
  plugin::OpenTransport* transport = nullptr;  // null: this task itself
};

struct EchoOptions {
  std::uint32_t rank = 0;  // the rank of this task among the peers
  std::uint32_t generation = 0;
  // The channels of the transports from here on belong to the measurement alone. Large messages are
  // divided over them as those of a run are (core/runtime/network/message_pieces.hpp).
  std::uint32_t first_channel = 0;
  std::uint32_t streams = 1;
  double join_seconds = 60;  // how long a peer may take to connect
  double peer_seconds = 4;   // how long it may take to answer
  // Called repeatedly while waiting. It throws to end the wait.
  std::function<void()> while_waiting;
};

// Every pair of tasks measures its link, so that a blocked or slow one is known before step 0. All
// tasks call it at the same time. In every round each task has one partner, so that pairs disturb
// each other only where they share a network. Returns one result per peer, zeros for this task.
// Error kTimeout naming the task that does not answer.
std::vector<MeasuredLink> measure_links(const std::vector<EchoPeer>& peers,
                                        const EchoOptions& options);

// Returns the partner of a rank in each round; the rank itself in rounds without one. Each pair of
// `ranks` meets once, and no rank has two partners in a round.
std::vector<std::uint32_t> partners_of(std::uint32_t rank, std::uint32_t ranks);

}  // namespace convoy::job
