#pragma once

#include <cstdint>
#include <string>

namespace convoy::grpc_transport {

// A host and a port, to listen at or to dial.
struct Endpoint {
  std::string host;
  std::uint32_t port = 0;
};
// Reads "host:port" or "[IPv6]:port". Throws std::invalid_argument.
Endpoint parse_endpoint(const std::string& text);
std::string to_string(const Endpoint& endpoint);

// Whether the name or address means this machine only.
bool is_loopback(const std::string& host);

// Returns the port at the end of gRPC's name of a peer ("ipv4:10.0.0.2:41000"); 0: there is none.
std::uint32_t port_of(const std::string& peer);

// Ends this process's TCP connections with these ports at once, whatever is in flight. gRPC itself
// waits for a write that has begun, and so keeps the sender's memory for as long as a peer that has
// stopped reads nothing.
void reset_connections(std::uint32_t local_port, std::uint32_t remote_port);

}  // namespace convoy::grpc_transport
