#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/network/host_port.hpp"

namespace convoy::network {

// Whether a host, by name or address, is reached inside this machine only: 127.0.0.0/8, ::1,
// localhost, or a name that means nothing else. False for a name that cannot be resolved.
bool is_loopback(const std::string& host);

// Whether a host is loopback by what is written, on every machine: an address, or "localhost".
// Looks nothing up.
bool is_written_loopback(const std::string& host);

// Why `host` means no address now, as the system says it; empty when it means one.
std::string resolution_problem(const std::string& host);

// Why nobody can listen there now ("Address already in use"); empty when one can.
std::string listening_problem(const HostPort& address);

// So many ports of 127.0.0.1 that nobody listens on now, all different. Ports are handed out by the
// system from a large range, so that programs that ask at the same time hardly ever get the same
// one. Throws Error with exit code kUnavailable.
std::vector<int> free_ports(std::size_t count);

// The address of this machine from which packets to `target` leave: what the target and its
// neighbours reach this task by. Sends nothing. Empty when the name cannot be resolved or there is
// no route.
std::string local_address_towards(const HostPort& target);

// Makes gRPC ask the system for names, as every other program does. Its own resolver waits for a
// name server's answer even where /etc/hosts has the name. To be called before gRPC is loaded, by
// the only thread; a user's GRPC_DNS_RESOLVER stays.
void resolve_names_by_system();

// The same for all processes of one running system, and for no other: the kernel's boot id.
std::string machine_id();

}  // namespace convoy::network
