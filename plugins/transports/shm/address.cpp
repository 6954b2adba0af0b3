#include "plugins/transports/shm/address.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdint>
#include <fstream>
#include <stdexcept>

namespace convoy::shm {
namespace {

constexpr std::string_view kPrefix = "convoy-shm-1 ";

}  // namespace

std::string this_machine() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::array<char, PATH_MAX> network{};
  const ssize_t bytes = ::readlink("/proc/self/ns/net", network.data(), network.size());
  if (boot.empty() || bytes <= 0)
    throw std::runtime_error("/proc does not tell which machine this is: is it mounted?");
  return boot + "," + std::string(network.data(), static_cast<std::size_t>(bytes)) +
         ",user:" + std::to_string(::getuid());
}

std::string random_socket_name() {
  std::array<std::uint8_t, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("the system gives no random bytes");
  std::string name = "convoy-";
  for (const std::uint8_t byte : bytes) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

std::string to_text(const Address& address) {
  return std::string(kPrefix) + address.machine + " " + address.socket;
}

Address parse_address(std::string_view text) {
  const std::size_t space = text.find(' ', kPrefix.size());
  if (!text.starts_with(kPrefix) || space == std::string_view::npos)
    throw std::invalid_argument("this is no address of a task with the transport shm");
  Address address{std::string(text.substr(kPrefix.size(), space - kPrefix.size())),
                  std::string(text.substr(space + 1))};
  if (address.socket.empty() || address.socket.size() > 64)
    throw std::invalid_argument("the address of the transport shm has no socket");
  return address;
}

}  // namespace convoy::shm
