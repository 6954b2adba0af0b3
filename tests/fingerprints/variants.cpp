#include "tests/fingerprints/variants.hpp"

#include <algorithm>

namespace convoy::testing {

std::vector<std::pair<std::string, plan::GuardOptions>> sample_guards() {
  plan::GuardOptions clipped;
  clipped.clip_norm = 1;
  plan::GuardOptions scaled;
  scaled.loss_scale = {128, 0};
  plan::GuardOptions adapted = scaled;
  adapted.automatic_loss_scale = true;
  plan::GuardOptions reported;
  reported.gradient_norms = true;
  return {{"plain", {}},
          {"clipped", clipped},
          {"loss scale", scaled},
          {"automatic loss scale", adapted},
          {"gradient norms", reported}};
}

std::vector<DeviceKind> device_kinds() {
  return {{"cpu", true, true, false, true},
          {"fake", false, false, false, true},
          {"cuda", true, false, true, false},
          {"cuda without peer access", false, false, true, false}};
}

plan::Cluster make_cluster(const DeviceKind& kind, std::uint32_t devices) {
  plan::Cluster cluster = plan::make_single_host(devices, kind.shares_host_memory, kind.name);
  for (std::uint32_t from = 0; from < devices; ++from)
    for (std::uint32_t to = 0; to < devices; ++to)
      if (from != to) cluster.access[from][to] = kind.peer_access;
  cluster.device_collectives = kind.collectives;
  cluster.joins_updates = kind.joins_updates;
  return cluster;
}

std::uint32_t sample_devices(const Variant& variant) {
  return std::clamp(4u, variant.fewest_devices, variant.most_devices);
}

bool is_packed(const Variant& variant) {
  return variant.options.contains("gradient_repacking") ||
         variant.options.contains("agg_small_grads_max_bytes");
}

std::vector<Variant> host_variants() {
  return {{"distributed_replicated", {}},
          {"distributed_replicated", {{"local_parameter_device", "cpu"}}},
          {"distributed_replicated", {{"variable_placement", "bytes"}}},
          {"parameter_server", {}},
          {"parameter_server", {{"local_parameter_device", "cpu"}}},
          {"parameter_server", {{"cross_replica_sync", "false"}}},
          {"parameter_server", {{"staged_vars", "true"}}},
          {"replicated", {}},
          {"replicated", {{"all_reduce_spec", "xring"}}},
          {"distributed_all_reduce", {{"all_reduce_spec", "nccl/xring"}}},
          {"distributed_all_reduce", {{"all_reduce_spec", "pscpu:8:pscpu#2:32:nccl/xring"}}}};
}

std::vector<plan::HostsDescription> sample_hosts() {
  return {{2, 2, true, "device", {}},
          {2, 2, false, "device", {2, 3, 4}},
          {2, 2, false, "device", {0, 1}},
          {3, 1, true, "device", {}}};
}

}  // namespace convoy::testing
