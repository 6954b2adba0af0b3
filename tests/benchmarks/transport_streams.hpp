#pragma once

#include <cstdint>

#include "core/conformance/transport_conformance.hpp"

namespace convoy::testing {

// What is measured: messages of one size between two processes, each on a core of its own.
struct Streams {
  std::uint64_t bytes = 0;  // of a message
  std::uint32_t channels = 1;
  bool both = false;  // directions at once; else from end 0 to end 1
  std::uint64_t most_messages = 50000;

  // About a gigabyte, or as many small ones as take a fraction of a second.
  std::uint64_t messages() const;
  // Of both directions.
  double total_bytes() const;
};

// On its way at a time, per channel.
inline constexpr std::uint64_t kWindow = 4;

// Binds this process to the core of its rank, where there are as many.
void bind_to_core(std::uint32_t rank);

// Seconds from the first message to the last, as this end sees it.
double over_transport(conformance::TransportEnd& end, const Streams& streams);
// The same over TCP sockets of loopback, one per channel and direction, with nothing around them.
double over_sockets(conformance::TransportEnd& end, const Streams& streams);

}  // namespace convoy::testing
