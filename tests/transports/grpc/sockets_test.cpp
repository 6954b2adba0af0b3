#include "plugins/transports/grpc/sockets.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace convoy::grpc_transport {
namespace {

TEST(GrpcSockets, ReadsEndpoints) {
  EXPECT_EQ(to_string(parse_endpoint("node:5")), "node:5");
  EXPECT_EQ(parse_endpoint("[::1]:7").host, "::1");
  EXPECT_EQ(to_string(parse_endpoint("[::1]:7")), "[::1]:7");
  for (const char* text : {"", "node", "node:", ":5", "node:x", "node:65536", "::1:7"})
    EXPECT_THROW(parse_endpoint(text), std::invalid_argument) << text;
}

TEST(GrpcSockets, ReadsThePortOfAPeer) {
  EXPECT_EQ(port_of("ipv4:10.0.0.2:41000"), 41000u);
  EXPECT_EQ(port_of("ipv6:%5B::1%5D:80"), 80u);
  EXPECT_EQ(port_of("unix:"), 0u);
  EXPECT_EQ(port_of("nothing"), 0u);
}

TEST(GrpcSockets, KnowsLoopback) {
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_FALSE(is_loopback("0.0.0.0"));
  EXPECT_FALSE(is_loopback("10.0.0.1"));
}

// A connection on loopback: its ends and their ports.
struct Connection {
  int dialed = ::socket(AF_INET, SOCK_STREAM, 0);
  int accepted = -1;
  std::uint32_t dialed_port = 0;
  std::uint32_t accepted_port = 0;

  Connection() {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener, generic, bytes), 0);
    EXPECT_EQ(::listen(listener, 1), 0);
    EXPECT_EQ(::getsockname(listener, generic, &bytes), 0);
    accepted_port = ntohs(address.sin_port);
    EXPECT_EQ(::connect(dialed, generic, bytes), 0);
    accepted = ::accept(listener, nullptr, nullptr);
    EXPECT_EQ(::getsockname(dialed, generic, &bytes), 0);
    dialed_port = ntohs(address.sin_port);
    ::close(listener);
  }
  ~Connection() {
    ::close(dialed);
    ::close(accepted);
  }
  // The dialed end has not been told of an end.
  bool open() const {
    char byte = 0;
    return ::recv(dialed, &byte, 1, MSG_DONTWAIT) < 0;
  }
};

TEST(GrpcSockets, EndsOneConnectionAndNoOther) {
  const Connection one;
  const Connection other;
  reset_connections(one.dialed_port, one.accepted_port + 1);
  EXPECT_TRUE(one.open());
  reset_connections(one.dialed_port, one.accepted_port);
  EXPECT_FALSE(one.open());
  EXPECT_TRUE(other.open());
}

}  // namespace
}  // namespace convoy::grpc_transport
