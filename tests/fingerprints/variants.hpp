#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/plan/host_cluster.hpp"
#include "core/plan/lower/guard.hpp"
#include "tests/strategies/variants.hpp"

namespace convoy::testing {

// What the host may add to a strategy's plan, each on its own, by name.
std::vector<std::pair<std::string, plan::GuardOptions>> sample_guards();

// Kinds of devices by what planning knows of them.
struct DeviceKind {
  std::string name;
  bool peer_access = false;
  bool shares_host_memory = false;
  bool collectives = false;
  bool joins_updates = false;
};
// CPU devices, fake ones, CUDA devices with and without peer access.
std::vector<DeviceKind> device_kinds();
plan::Cluster make_cluster(const DeviceKind& kind, std::uint32_t devices);

// How many devices a variant is planned for: four, if it takes so many.
std::uint32_t sample_devices(const Variant& variant);
// Options other than how gradients are packed, which all combinations would multiply.
bool is_packed(const Variant& variant);

// Strategies for several hosts, and the clusters for which they plan.
std::vector<Variant> host_variants();
std::vector<plan::HostsDescription> sample_hosts();

}  // namespace convoy::testing
