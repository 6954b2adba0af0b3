#include "core/network/reachable_names.hpp"

#include <vector>

#include "core/network/addresses.hpp"

namespace convoy::network {
namespace {

std::vector<HostPort> hosts_of(const TaskIdentity& identity) {
  std::vector<HostPort> hosts = identity.worker_hosts;
  hosts.insert(hosts.end(), identity.server_hosts.begin(), identity.server_hosts.end());
  if (!identity.coordinator) return hosts;
  hosts.push_back(*identity.coordinator);
  for (const std::string& host : identity.launched_hosts)
    hosts.push_back({host, identity.coordinator->port});
  return hosts;
}

// Returns this machine's address for other hosts. Empty if there is no other host, or if none can
// be reached.
std::string address_for_others(const TaskIdentity& identity, const std::string& own,
                               const NameLookup& names) {
  for (const HostPort& host : hosts_of(identity)) {
    if (host.host == own || names.is_loopback(host.host)) continue;
    std::string address = names.local_address_towards(host);
    if (!address.empty()) return address;
  }
  return "";
}

void replace(TaskIdentity& identity, const std::string& own, const NameLookup& names) {
  if (own.empty() || is_written_loopback(own) || !names.is_loopback(own)) return;
  const std::string address = address_for_others(identity, own, names);
  if (address.empty()) return;
  for (auto* hosts : {&identity.worker_hosts, &identity.server_hosts})
    for (HostPort& host : *hosts)
      if (host.host == own) host.host = address;
  if (identity.coordinator && identity.coordinator->host == own)
    identity.coordinator->host = address;
}

}  // namespace

NameLookup system_names() {
  return {&is_loopback, &local_address_towards};
}

TaskIdentity with_reachable_names(TaskIdentity identity, const NameLookup& names) {
  replace(identity, transport_address(identity).host, names);
  const std::string coordinator = identity.coordinator ? identity.coordinator->host : "";
  replace(identity, coordinator, names);
  return identity;
}

}  // namespace convoy::network
