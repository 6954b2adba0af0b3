#pragma once

#include <functional>
#include <string>

#include "core/network/task_identity.hpp"

namespace convoy::network {

// What names mean on this machine (addresses.hpp). Functions, so that tests need no names.
struct NameLookup {
  std::function<bool(const std::string& host)> is_loopback;
  std::function<std::string(const HostPort& target)> local_address_towards;
};
NameLookup system_names();

// The same task, with addresses by which other hosts reach this machine. To itself a host's own
// name often means 127.0.1.1 (Debian's /etc/hosts): who listens there is heard by no other host.
// Such a name, this task's or the coordinator's, becomes the address from which packets leave to
// the first host that is another one. It stays where all hosts are this machine, and where loopback
// is written as such.
TaskIdentity with_reachable_names(TaskIdentity identity, const NameLookup& names);

}  // namespace convoy::network
