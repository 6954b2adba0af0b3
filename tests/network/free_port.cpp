#include "tests/network/free_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace convoy::network {

int free_port() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  int port = 0;
  if (::bind(descriptor, reinterpret_cast<sockaddr*>(&address), bytes) == 0 &&
      ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &bytes) == 0)
    port = ntohs(address.sin_port);
  ::close(descriptor);
  return port;
}

}  // namespace convoy::network
