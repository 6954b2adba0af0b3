#include "sockets.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <system_error>

namespace plain_sockets {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_in internet_address(const Endpoint& endpoint) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(endpoint.port);
  if (::inet_pton(AF_INET, endpoint.host.c_str(), &address.sin_addr) != 1)
    throw std::invalid_argument(endpoint.host + " is no IPv4 address in numbers");
  return address;
}

Socket make_socket() {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) fail("no socket can be made");
  return socket;
}

void send_at_once(const Socket& socket) {
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Socket::~Socket() {
  if (number_ >= 0) ::close(number_);
}

Endpoint parse_endpoint(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  Endpoint endpoint;
  if (colon == std::string::npos) throw std::invalid_argument("'" + text + "' is not host:port");
  endpoint.host = text.substr(0, colon);
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, endpoint.port);
  if (error != std::errc() || stopped != end)
    throw std::invalid_argument("'" + text + "' has no port");
  static_cast<void>(internet_address(endpoint));
  return endpoint;
}

std::string to_text(const Endpoint& endpoint) {
  return endpoint.host + ":" + std::to_string(endpoint.port);
}

Socket listen_on(const Endpoint& endpoint) {
  Socket socket = make_socket();
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in address = internet_address(endpoint);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), 1024) != 0)
    fail("cannot listen on " + to_text(endpoint));
  return socket;
}

Endpoint local_endpoint(const Socket& socket) {
  sockaddr_in address{};
  socklen_t bytes = sizeof address;
  std::array<char, INET_ADDRSTRLEN> text{};
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &bytes) != 0 ||
      ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size()) == nullptr)
    fail("the socket has no address");
  return {text.data(), ntohs(address.sin_port)};
}

Socket dial(const Endpoint& endpoint) {
  Socket socket = make_socket();
  send_at_once(socket);
  const sockaddr_in address = internet_address(endpoint);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
      errno != EINPROGRESS)
    fail("cannot connect to " + to_text(endpoint));
  return socket;
}

Socket accept_from(const Socket& listener) {
  Socket socket(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket) send_at_once(socket);
  return socket;
}

}  // namespace plain_sockets
