#include "core/network/addresses.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <convoy/loopback.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <random>

#include "core/base/error.hpp"

namespace convoy::network {
namespace {

// The results of getaddrinfo. `list` is null, with a reason, if there are none.
struct Resolved {
  std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list{nullptr, &::freeaddrinfo};
  std::string problem;
};

Resolved resolve(const HostPort& address, int type, int flags = 0) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = type;
  hints.ai_flags = flags;
  addrinfo* list = nullptr;
  const int code =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &list);
  Resolved result;
  if (code == 0)
    result.list.reset(list);
  else
    result.problem = code == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(code);
  return result;
}

// A socket that its destructor closes.
class Socket {
 public:
  explicit Socket(const addrinfo& like)
      : descriptor_(::socket(like.ai_family, like.ai_socktype | SOCK_CLOEXEC, like.ai_protocol)) {}
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

bool all_loopback(const Resolved& found) {
  if (!found.list) return false;
  for (const addrinfo* entry = found.list.get(); entry != nullptr; entry = entry->ai_next)
    if (!is_loopback_address(*entry->ai_addr)) return false;
  return true;
}

}  // namespace

bool is_loopback(const std::string& host) {
  return all_loopback(resolve({host, 0}, SOCK_STREAM));
}

bool is_written_loopback(const std::string& host) {
  return host == "localhost" || all_loopback(resolve({host, 0}, SOCK_STREAM, AI_NUMERICHOST));
}

std::string resolution_problem(const std::string& host) {
  return resolve({host, 0}, SOCK_STREAM).problem;
}

std::string listening_problem(const HostPort& address) {
  const Resolved found = resolve(address, SOCK_STREAM, AI_PASSIVE);
  if (!found.list) return found.problem;
  std::string problem;
  for (const addrinfo* entry = found.list.get(); entry != nullptr; entry = entry->ai_next) {
    const Socket socket(*entry);
    const int yes = 1;
    if (socket.get() < 0) continue;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (::bind(socket.get(), entry->ai_addr, entry->ai_addrlen) == 0 &&
        ::listen(socket.get(), 1) == 0)
      return "";
    problem = std::strerror(errno);
  }
  return problem.empty() ? "no address of the host can be used here" : problem;
}

namespace {

struct PortRange {
  int first = 0;
  int last = 0;
};

// Ports below belong to services.
constexpr int kFirstOfPorts = 10000;
constexpr int kLastOfPorts = 65535;
// The least size of a large range. With it, programs that ask at the same time hardly ever get the
// same port.
constexpr int kLargeRange = 4096;

// Returns the larger of the two ranges of ports, below and above those that the kernel gives to
// outgoing connections. Nothing if it is small, or if the kernel does not say.
std::optional<PortRange> range_of_no_connection() {
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  PortRange connections;
  if (!(file >> connections.first >> connections.last)) return std::nullopt;
  const PortRange below{kFirstOfPorts, connections.first - 1};
  const PortRange above{std::max(kFirstOfPorts, connections.last + 1), kLastOfPorts};
  const PortRange larger = below.last - below.first > above.last - above.first ? below : above;
  if (larger.last - larger.first < kLargeRange) return std::nullopt;
  return larger;
}

// Binds to a port of 127.0.0.1; port 0: the kernel chooses one. Returns the port, or 0 with errno.
int bind_on_loopback(const Socket& socket, int port) {
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  own.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t bytes = sizeof own;
  auto* const generic = reinterpret_cast<sockaddr*>(&own);
  if (socket.get() < 0 || ::bind(socket.get(), generic, bytes) != 0 ||
      ::getsockname(socket.get(), generic, &bytes) != 0)
    return 0;
  return ntohs(own.sin_port);
}

}  // namespace

std::vector<int> free_ports(std::size_t count) {
  const std::optional<PortRange> range = range_of_no_connection();
  std::minstd_rand random(std::random_device{}());
  addrinfo like{};
  like.ai_family = AF_INET;
  like.ai_socktype = SOCK_STREAM;
  std::deque<Socket> sockets;  // all bound until all ports are known
  std::vector<int> ports;
  for (std::size_t tried = 0; ports.size() < count; ++tried) {
    const bool choose = range && tried < 4 * count + kLargeRange;
    const int wanted =
        choose ? std::uniform_int_distribution(range->first, range->last)(random) : 0;
    const int port = bind_on_loopback(sockets.emplace_back(like), wanted);
    if (port != 0) {
      ports.push_back(port);
      continue;
    }
    if (!choose || errno != EADDRINUSE)
      fail(ExitCode::kUnavailable, "no free port of this machine can be found: {}",
           std::strerror(errno));
    sockets.pop_back();
  }
  return ports;
}

std::string local_address_towards(const HostPort& target) {
  const Resolved found = resolve(target, SOCK_DGRAM);
  for (const addrinfo* entry = found.list.get(); entry != nullptr; entry = entry->ai_next) {
    const Socket socket(*entry);
    if (socket.get() < 0 || ::connect(socket.get(), entry->ai_addr, entry->ai_addrlen) != 0)
      continue;
    sockaddr_storage own{};
    socklen_t bytes = sizeof own;
    std::array<char, NI_MAXHOST> text{};
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &bytes) == 0 &&
        ::getnameinfo(reinterpret_cast<sockaddr*>(&own), bytes, text.data(), text.size(), nullptr,
                      0, NI_NUMERICHOST) == 0)
      return text.data();
  }
  return "";
}

void resolve_names_by_system() {
  ::setenv("GRPC_DNS_RESOLVER", "native", 0);
}

std::string machine_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace convoy::network
