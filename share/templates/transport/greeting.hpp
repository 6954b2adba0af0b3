#pragma once

#include <convoy/greeting.hpp>
#include <cstdint>
#include <optional>

#include "sockets.hpp"

namespace plain_sockets {

// What both ends say first, the one that dials before the other one. It is followed by frames, or,
// with a refusal, by nothing.
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

// False while the connection is not established. Throws convoy::RefusedInput when it failed.
bool send_greeting(const Socket& socket, const Greeting& greeting);
// Empty while it has not come. Throws convoy::RefusedInput when something else came, or nothing
// will.
std::optional<Greeting> receive_greeting(const Socket& socket);

}  // namespace plain_sockets
