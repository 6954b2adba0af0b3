#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace convoy::plan {

// A place: memory, and the engine that runs element-wise work on it.
struct Place {
  std::uint32_t kind = CONVOY_PLACE_DEVICE;
  std::uint32_t host = 0;
  std::uint32_t replica = CONVOY_NONE;     // device places
  std::uint32_t near_place = CONVOY_NONE;  // device places: the host place they are attached to
  std::string name;                        // "cpu:0", "host:0"
  // Host places: the device places whose engines run this place's operations, in slices. Empty: the
  // place has an engine of its own.
  std::vector<std::uint32_t> served_by;
};

struct Route {
  std::uint32_t kind = CONVOY_ROUTE_UNKNOWN;
  double bytes_per_second = 0;  // 0 = unknown
  std::uint32_t shared_group = CONVOY_NONE;
};

// Hardware that replicas share besides hosts. Each list has, per replica, the number of its group.
// Replicas that share the hardware have the same number. An empty list: not known.
struct ReplicaGroups {
  std::vector<std::uint32_t> numa;
  std::vector<std::uint32_t> pcie_switch;
  std::vector<std::uint32_t> nvlink;
};

// All hosts, places and replicas, as agreed before planning, and which engines can address which
// memory. Replica r runs on place replica_place[r].
struct Cluster {
  std::uint32_t hosts = 1;
  std::vector<Place> places;
  std::vector<std::uint32_t> replica_place;
  // access[p][q]: the engine of place p addresses memory of place q directly.
  std::vector<std::vector<bool>> access;
  // Routes, for strategies; empty: nothing is known. A pure function, because a table for thousands
  // of places would not fit into memory.
  std::function<Route(std::uint32_t from, std::uint32_t to)> route;
  // The devices reduce, gather and broadcast among themselves (NCCL or a similar library). Lowering
  // then leaves a collective as one operation if its algorithm is the devices' choice.
  bool device_collectives = false;
  // Why open devices have no such collectives; empty if no devices were asked.
  std::string no_device_collectives = {};
  // Every device sums several gradients and updates with them in one operation
  // (CONVOY_DEVICE_JOINS_UPDATES): such sums and updates are fused.
  bool joins_updates = false;

  // Every device has a lane per priority (CONVOY_PRIORITIES), so urgent operations overtake others
  // there. Between hosts they always overtake.
  bool device_priorities = false;
  ReplicaGroups groups = {};

  // The places whose engines run a place's operations: those that serve it, or it alone.
  std::vector<std::uint32_t> engines_of(std::uint32_t place) const;
  // Returns the number of the replica's group of that kind (convoy_sharing); CONVOY_NONE if it is
  // not known.
  std::uint32_t group_of(std::uint32_t sharing, std::uint32_t replica) const;
  // Returns the kind of the first device: "cpu" if places are named "cpu:0" and so on.
  std::string device_kind() const;
  std::uint32_t replicas() const { return static_cast<std::uint32_t>(replica_place.size()); }
};

// Returns one host with n devices that address each other's and the host's memory (CPU devices) or
// only their own and pinned host memory (peer_access = false, as GPUs without peer access). Device
// places come first, the host place last. Shared-memory devices serve the host place, join updates
// and have lanes per priority.
Cluster make_single_host(std::uint32_t devices, bool peer_access, const std::string& device_kind);

}  // namespace convoy::plan
