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
  join.address = options.advertise_address;
  if (join.address.empty()) join.address = transport_address(identity).host;
  if (join.address.empty()) join.address = local_address_towards(*identity.coordinator);
  join.workers = identity.workers;
  join.servers = identity.servers;
  join.controller = identity.controller;
  join.model = introduction.model;
  join.plugins = introduction.plugins;
  join.flags = introduction.flags;
  join.layouts = introduction.layouts;
  return join;
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
