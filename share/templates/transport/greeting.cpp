#include "greeting.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace plain_sockets {

using convoy::RefusedInput;

bool send_greeting(const Socket& socket, const Greeting& greeting) {
  const ssize_t sent = ::send(socket.get(), &greeting, sizeof greeting, MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(sizeof greeting)) return true;  // it fits into any buffer
  if (sent < 0 && (errno == EAGAIN || errno == ENOTCONN)) return false;
  throw RefusedInput(CONVOY_REASON_UNREACHED, std::generic_category().message(errno));
}

std::optional<Greeting> receive_greeting(const Socket& socket) {
  Greeting greeting;
  const ssize_t there = ::recv(socket.get(), &greeting, sizeof greeting, MSG_PEEK);
  if (there < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (there <= 0)
    throw RefusedInput(CONVOY_REASON_DIED, "the connection was closed before a greeting came");
  const auto known = std::min<std::size_t>(static_cast<std::size_t>(there), sizeof greeting.magic);
  if (std::memcmp(greeting.magic, Greeting{}.magic, known) != 0)
    throw RefusedInput(CONVOY_REASON_MALFORMED, "what came is no greeting");
  if (there < static_cast<ssize_t>(sizeof greeting)) return std::nullopt;
  static_cast<void>(::recv(socket.get(), &greeting, sizeof greeting, 0));
  return greeting;
}

}  // namespace plain_sockets
