#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/network/host_port.hpp"

namespace convoy::network {

// Whether a host is reached only inside this machine: its address is 127.0.0.0/8 or ::1, or its
// name, such as localhost, resolves only to these. False for a name that cannot be resolved.
bool is_loopback(const std::string& host);

// Whether the text itself is loopback on every machine: a loopback address or "localhost". Looks
// nothing up.
bool is_written_loopback(const std::string& host);

// The system's reason why `host` resolves to no address now. Empty if it resolves.
std::string resolution_problem(const std::string& host);

// The reason why this process cannot listen there now ("Address already in use"). Empty if it can.
std::string listening_problem(const HostPort& address);

// Returns different ports of 127.0.0.1 on which nobody listens now. They are chosen by
// chance from a large range, so that programs that ask at the same time hardly ever get the same
// port, and outside the range of outgoing connections: one of these could take a port before it is
// used. Throws Error (kUnavailable).
std::vector<int> free_ports(std::size_t count);

// The address of this machine from which packets to `target` leave. The target and its neighbours
// reach this task by this address. Sends nothing. Empty if the name cannot be resolved or there is
// no route.
std::string local_address_towards(const HostPort& target);

// Makes gRPC ask the system for names, as every other program does. Its own resolver waits for a
// name server even if /etc/hosts has the name. Call it before gRPC is loaded, while there is only
// one thread. A GRPC_DNS_RESOLVER that the user set stays.
void resolve_names_by_system();

// Identifies a running system: the kernel's boot id, which all its processes share.
std::string machine_id();

}  // namespace convoy::network
