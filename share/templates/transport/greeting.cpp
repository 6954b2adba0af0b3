#include "greeting.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace plain_sockets {

using convoy::RefusedInput;

Greeting greeting_of(const convoy_transport_run& run) {
  Greeting mine;
  std::copy_n(run.key, sizeof mine.key, mine.key);
  mine.rank = run.rank;
  mine.ranks = run.ranks;
  mine.channels = run.channels;
  mine.generation = run.generation;
  return mine;
}

void require_same_run(const Greeting& greeting, const convoy_transport_run& run) {
  unsigned different = 0;
  for (std::size_t i = 0; i < sizeof run.key; ++i)
    different |= static_cast<unsigned>(greeting.key[i] ^ run.key[i]);
  if (different != 0)
    throw RefusedInput(CONVOY_REASON_FOREIGN, "a task with another key has connected");
  if (greeting.generation != run.generation)
    throw RefusedInput(CONVOY_REASON_STALE, "a task of another generation has connected");
  if (greeting.ranks != run.ranks || greeting.rank >= run.ranks ||
      greeting.channels != run.channels)
    throw RefusedInput(CONVOY_REASON_FOREIGN, "a task of a run of another size has connected");
}

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
