#pragma once

#include "core/graph/arena.hpp"
#include "core/graph/graph_view.hpp"
#include "core/runtime/network/peers.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/runtime/session_options.hpp"

namespace convoy::runtime {

// Returns how a replica's layers are compiled in a session with these options. The options' dtype
// must be a type.
convoy_compilation compilation_of(const graph::GraphView& view, const SessionOptions& options,
                                  bool forward_only, std::uint32_t replica, std::uint32_t replicas);

// The replicas for which storage is chosen, by device; null for devices of other hosts.
struct StorageUsers {
  const plan::Cluster& cluster;
  const Engines& engines;
  const std::vector<convoy_device_description>& descriptions;
  Peers* peers = nullptr;  // for several hosts: all of them choose at the same time
};

// How a session on these devices stores the variables: the common proposal of all devices of all
// hosts, or the plain layout when proposals differ. The plan depends on it. It allocates no memory
// of the model's size. Error kUnavailable when the devices do not have the dtype.
graph::Arena choose_storage(const graph::Graph& graph, const StorageUsers& users,
                            const SessionOptions& options, bool forward_only);
// The storage for one host with these devices.
graph::Arena choose_storage(const graph::Graph& graph, const OpenDevices& devices,
                            const SessionOptions& options, bool forward_only);

}  // namespace convoy::runtime
