#include "plugins/transports/grpc/sockets.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <charconv>
#include <convoy/loopback.hpp>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

namespace convoy::grpc_transport {
namespace {

std::uint32_t parse_port(std::string_view digits) {
  std::uint32_t port = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, problem] = std::from_chars(digits.data(), end, port);
  return problem == std::errc{} && stop == end && port <= 65535 ? port : 65536;
}

// Returns the port of a socket's own end or its peer's; nothing if it is no TCP connection.
std::optional<std::uint32_t> port_with(int descriptor, decltype(&::getsockname) ask) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof address;
  if (ask(descriptor, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return std::nullopt;
  if (address.ss_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    return ntohs(in.sin_port);
  }
  if (address.ss_family != AF_INET6) return std::nullopt;
  sockaddr_in6 in6{};
  std::memcpy(&in6, &address, sizeof in6);
  return ntohs(in6.sin6_port);
}

}  // namespace

Endpoint parse_endpoint(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::uint32_t port =
      colon == std::string::npos ? 65536 : parse_port(std::string_view(text).substr(colon + 1));
  if (port > 65535) throw std::invalid_argument("'" + text + "' has no port");
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string::npos)
    throw std::invalid_argument("'" + text + "' needs brackets around its IPv6 address");
  if (host.empty()) throw std::invalid_argument("'" + text + "' has no host");
  return {host, port};
}

std::string to_string(const Endpoint& endpoint) {
  const bool brackets = endpoint.host.find(':') != std::string::npos;
  const std::string host = brackets ? "[" + endpoint.host + "]" : endpoint.host;
  return host + ":" + std::to_string(endpoint.port);
}

bool is_loopback(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &list) != 0) return false;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  for (; list != nullptr; list = list->ai_next)
    if (!is_loopback_address(*list->ai_addr)) return false;
  return true;
}

std::uint32_t port_of(const std::string& peer) {
  const std::size_t colon = peer.rfind(':');
  if (colon == std::string::npos) return 0;
  const std::uint32_t port = parse_port(std::string_view(peer).substr(colon + 1));
  return port > 65535 ? 0 : port;
}

void reset_connections(std::uint32_t local_port, std::uint32_t remote_port) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const int descriptor = std::atoi(entry.path().filename().c_str());
    if (port_with(descriptor, &::getsockname) == local_port &&
        port_with(descriptor, &::getpeername) == remote_port)
      ::shutdown(descriptor, SHUT_RDWR);
  }
}

}  // namespace convoy::grpc_transport
