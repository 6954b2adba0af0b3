#pragma once

#include <convoy/greeting.hpp>
#include <cstdint>
#include <optional>

#include "sockets.hpp"

namespace plain_sockets {

// The first message of both ends; the one that dials sends it first. Frames follow it, or nothing
// after a refusal.
struct Greeting {
  char magic[8] = {'p', 'l', 'a', 'i', 'n', 's', 'o', '1'};
  std::uint8_t key[32] = {};
  std::uint32_t rank = 0;
  std::uint32_t ranks = 0;
  std::uint32_t channels = 0;
  std::uint32_t generation = 0;
  std::uint32_t refusal = 0;  // convoy_transport_reason
  std::uint32_t reserved = 0;
};

// Returns false while the connection is not established. Throws convoy::RefusedInput when it
// failed.
bool send_greeting(const Socket& socket, const Greeting& greeting);
// Returns nothing while it has not arrived. Throws convoy::RefusedInput when something else
// arrived, or the connection ended.
std::optional<Greeting> receive_greeting(const Socket& socket);

}  // namespace plain_sockets
