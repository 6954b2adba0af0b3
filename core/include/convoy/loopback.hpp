// Tells addresses of this host from those of the network, for transports that may send in clear
// text within a host only.
#ifndef CONVOY_LOOPBACK_HPP
#define CONVOY_LOOPBACK_HPP

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

namespace convoy {

// Whether an address is 127.x.x.x, also in its IPv6 form, or ::1. False for other families.
inline bool is_loopback_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    return (ntohl(in.sin_addr.s_addr) >> 24) == 127;
  }
  if (address.sa_family != AF_INET6) return false;
  sockaddr_in6 in6{};
  std::memcpy(&in6, &address, sizeof in6);
  return IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr) ||
         (IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr) && in6.sin6_addr.s6_addr[12] == 127);
}

}  // namespace convoy

#endif
