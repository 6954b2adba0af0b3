#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace plain_sockets {

// A TCP socket that never blocks, closed at the end of the scope.
class Socket {
 public:
  explicit Socket(int number = -1) : number_(number) {}
  ~Socket();
  Socket(Socket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

// A numeric IPv4 host and a port.
struct Endpoint {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
};
// Throws std::invalid_argument.
Endpoint parse_endpoint(const std::string& text);
std::string to_text(const Endpoint& endpoint);

// These throw std::system_error.
Socket listen_on(const Endpoint& endpoint);
Endpoint local_endpoint(const Socket& socket);
// The connection may not be established yet, and may fail.
Socket dial(const Endpoint& endpoint);
// Returns nothing when no caller waits.
Socket accept_from(const Socket& listener);

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace plain_sockets
