#pragma once

#include <sys/types.h>

#include <convoy/transfer_flow.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "plugins/transports/shm/pull.hpp"

namespace convoy::shm {

// A file descriptor, closed at the end of the scope.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

// The first message between two tasks. The task that dials sends it with the pair's memory. The
// other one answers with a greeting, or with the reason for refusing.
struct Greeting {
  char magic[8] = {'c', 'o', 'n', 'v', 's', 'h', 'm', '1'};
  std::uint8_t key[32] = {};
  std::uint32_t generation = 0;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 0;
  std::uint32_t channels = 0;
  Probe probe{};
  std::uint32_t refusal = 0;  // convoy_transport_reason
  std::uint32_t reserved = 0;
};

// No socket blocks. The functions throw std::runtime_error when the system refuses.
Descriptor listen_at(const std::string& name);
// Returns nothing when the listener is busy: try again. Throws std::system_error when nobody
// listens.
std::optional<Descriptor> dial(const std::string& name);
// Returns nothing when no caller waits.
std::optional<Descriptor> accept_from(const Descriptor& listener);

// Returns the process at the other end, of this user; 0 when it cannot be seen from here. Throws
// RefusedInput when it is another user's.
pid_t peer_process(const Descriptor& socket);

void send_greeting(const Descriptor& socket, const Greeting& greeting, int memory);
// Returns the greeting and the descriptor that came with it; nothing when none has arrived yet.
// Throws RefusedInput when it is malformed, or the other end has closed.
std::optional<std::pair<Greeting, Descriptor>> receive_greeting(const Descriptor& socket);

// Lets an epoll descriptor report, with this id, that a descriptor has something to read.
// operation: EPOLL_CTL_ADD, or EPOLL_CTL_MOD for another id.
void watch(int epoll, const Descriptor& descriptor, std::uint64_t id, int operation);

// Wakes the other end.
void ring_bell(const Descriptor& socket);
// Takes some of the rings; returns false when the other end has closed and none is left.
bool silence_bell(const Descriptor& socket);

}  // namespace convoy::shm
