#include "tests/simulate/hand_machine.hpp"

#include <fmt/format.h>

namespace convoy::testing {

using simulate::Path;
using simulate::PathKind;
using simulate::SimulatedDevice;
using simulate::SimulatedHost;
using simulate::SimulatedMachine;

namespace {

plan::Cluster make_cluster(std::uint32_t hosts, std::uint32_t per_host, bool peer_access) {
  plan::Cluster cluster;
  cluster.hosts = hosts;
  cluster.device_collectives = true;
  const std::uint32_t devices = hosts * per_host;
  for (std::uint32_t d = 0; d < devices; ++d) {
    const std::uint32_t host = d / per_host;
    cluster.places.push_back(
        {CONVOY_PLACE_DEVICE, host, d, devices + host, fmt::format("cuda:{}", d), {}});
    cluster.replica_place.push_back(d);
  }
  for (std::uint32_t h = 0; h < hosts; ++h)
    cluster.places.push_back(
        {CONVOY_PLACE_HOST, h, CONVOY_NONE, CONVOY_NONE, fmt::format("host:{}", h), {}});
  const std::size_t count = cluster.places.size();
  cluster.access.assign(count, std::vector<bool>(count, false));
  for (std::size_t p = 0; p < count; ++p)
    for (std::size_t q = 0; q < count; ++q) {
      const bool same_host = cluster.places[p].host == cluster.places[q].host;
      const bool from_device = p < devices;
      cluster.access[p][q] = p == q || (same_host && from_device && (q >= devices || peer_access));
    }
  return cluster;
}

SimulatedDevice round_device() {
  SimulatedDevice device;
  device.name = "round";
  device.flops_per_second = 1e12;
  device.memory_bytes_per_second = 1e12;
  device.memory_efficiency = 1;
  device.flops_efficiency = 1;
  device.kernel_seconds = 0;
  device.collective_seconds = 0;
  device.waits_for_kernel = false;
  return device;
}

SimulatedHost round_host(const HandRates& rates) {
  SimulatedHost host;
  host.add_bytes_per_second = rates.host_memory;
  host.nvlink_hop_seconds = 0;
  host.pcie_hop_seconds = 0;
  host.network_hop_seconds = 0;
  return host;
}

Path find(const plan::Cluster& cluster, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t devices = cluster.replicas();
  const std::uint32_t from_host = cluster.places[from].host;
  const std::uint32_t to_host = cluster.places[to].host;
  const auto of_host = [&](std::uint32_t host, std::uint32_t which) {
    return 2 * devices + 5 * host + which;
  };
  Path path;
  path.kind = from_host == to_host ? PathKind::kPcie : PathKind::kNetwork;
  const bool leaves_switch = from_host != to_host || from >= devices || to >= devices;
  if (from < devices) path.links.push_back(2 * from);
  if (from < devices && leaves_switch) path.links.push_back(of_host(from_host, 0));
  if (from_host != to_host) {
    path.links.push_back(of_host(from_host, 2));
    path.links.push_back(of_host(to_host, 3));
  }
  if (to < devices && leaves_switch) path.links.push_back(of_host(to_host, 1));
  if (to < devices) path.links.push_back(2 * to + 1);
  return path;
}

}  // namespace

HandMachine hand_machine(std::uint32_t hosts, std::uint32_t devices_per_host, bool peer_access,
                         const HandRates& rates) {
  HandMachine result;
  result.cluster = make_cluster(hosts, devices_per_host, peer_access);
  SimulatedMachine& machine = result.machine;
  machine.devices.push_back(round_device());
  machine.hosts.assign(hosts, round_host(rates));
  const std::uint32_t devices = hosts * devices_per_host;
  for (std::uint32_t d = 0; d < devices; ++d) {
    machine.links.push_back({fmt::format("cuda:{} up", d), rates.device});
    machine.links.push_back({fmt::format("cuda:{} down", d), rates.device});
    machine.places.push_back({d / devices_per_host, 0});
  }
  for (std::uint32_t h = 0; h < hosts; ++h) {
    machine.links.push_back({fmt::format("root {} up", h), rates.root});
    machine.links.push_back({fmt::format("root {} down", h), rates.root});
    machine.links.push_back({fmt::format("network {} out", h), rates.network});
    machine.links.push_back({fmt::format("network {} in", h), rates.network, true});
    machine.places.push_back(
        {h, CONVOY_NONE, CONVOY_NONE, static_cast<std::uint32_t>(machine.links.size())});
    machine.links.push_back({fmt::format("memory {}", h), rates.host_memory});
  }
  machine.paths = [cluster = result.cluster](std::uint32_t from, std::uint32_t to) {
    return find(cluster, from, to);
  };
  return result;
}

simulate::SoftwareProfile free_software() {
  simulate::SoftwareProfile software;
  software.name = "free";
  software.copy_seconds = 0;
  software.host_operation_seconds = 0;
  software.straggler_sigma = 0;
  software.rpc_seconds = 0;
  return software;
}

simulate::LayerTimes equal_layers(std::size_t segments, double forward, double backward) {
  simulate::LayerTimes times;
  times.forward.assign(segments, {forward, {forward}});
  times.backward.assign(segments, {backward, {backward}});
  return times;
}

plan::ArenaMap equal_arena(std::size_t segments, std::uint64_t elements) {
  plan::ArenaMap arena;
  for (std::size_t i = segments; i-- > 0;) {
    arena.variables.push_back({fmt::format("layer{}", i), {arena.elements, elements}, elements, i});
    arena.elements += elements;
  }
  for (std::size_t i = 0; i < segments; ++i)
    arena.segments.push_back({i, 1, {(segments - 1 - i) * elements, elements}});
  arena.buckets = plan::make_buckets(arena.elements, elements);
  return arena;
}

}  // namespace convoy::testing
