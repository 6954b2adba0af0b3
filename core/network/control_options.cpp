#include "core/network/control_options.hpp"

#include <sys/random.h>

#include "core/base/error.hpp"
#include "core/base/version.hpp"
#include "core/network/addresses.hpp"

namespace convoy::network {
namespace {

std::string random_key() {
  std::string key(32, '\0');
  CONVOY_CHECK_EQ(::getrandom(key.data(), key.size(), 0), static_cast<ssize_t>(key.size()));
  return key;
}

}  // namespace

Join make_join(const ControlOptions& options, const Introduction& introduction, int generation) {
  const TaskIdentity& identity = options.identity;
  Join join;
  join.name = this_task(identity.role, identity.index);
  join.generation = generation;
  join.version = kVersion;
  join.program_hash = introduction.program_hash;
  join.machine = machine_id();
  find_address(options, join);
  join.workers = identity.workers;
  join.servers = identity.servers;
  join.controller = identity.controller;
  join.model = introduction.model;
  join.plugins = introduction.plugins;
  join.flags = introduction.flags;
  return join;
}

void find_address(const ControlOptions& options, Join& join) {
  std::string own = transport_address(options.identity).host;
  if (own.empty()) own = local_address_towards(*options.identity.coordinator);
  const bool listens_by_loopback = !own.empty() && is_loopback(own);
  const std::string& given = options.advertise_address;
  join.address = given.empty() ? own : given;
  join.loopback = listens_by_loopback && is_loopback(join.address);
  // For other hosts, a name may resolve to another address than here; an address is the same
  // everywhere.
  if (is_written_loopback(given)) join.loopback = true;
}

CoordinatorOptions coordinator_options(const ControlOptions& options) {
  const TaskIdentity& identity = options.identity;
  CoordinatorOptions coordinator;
  coordinator.name = this_task(identity.role, identity.index);
  coordinator.workers = identity.workers;
  coordinator.servers = identity.servers;
  coordinator.controller = identity.controller;
  coordinator.join_timeout = options.join_timeout;
  coordinator.peer_timeout = options.peer_timeout;
  coordinator.restarts = options.restarts;
  coordinator.key = random_key();
  return coordinator;
}

}  // namespace convoy::network
