#pragma once

#include <functional>
#include <string>

#include "core/network/task_identity.hpp"

namespace convoy::network {

// Looks up names on this machine (addresses.hpp). These are functions, so that tests need no names.
struct NameLookup {
  std::function<bool(const std::string& host)> is_loopback;
  std::function<std::string(const HostPort& target)> local_address_towards;
};
NameLookup system_names();

// Returns the same task with addresses by which other hosts reach this machine. On a host, its own
// name often resolves to 127.0.1.1 (Debian's /etc/hosts), which no other host reaches. Such a name
// of this task or of the coordinator is replaced by the address from which packets to the first
// other host leave. It stays if all hosts are this machine, or if the user wrote a loopback
// address.
TaskIdentity with_reachable_names(TaskIdentity identity, const NameLookup& names);

}  // namespace convoy::network
