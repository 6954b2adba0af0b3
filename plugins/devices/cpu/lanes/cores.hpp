#pragma once

#include <convoy/abi.h>
#include <hwloc.h>

#include <cstdint>
#include <memory>
#include <string>

namespace convoy::cpu {

// The cores of one CPU device, as a set of processing units of this machine.
class CoreSet {
 public:
  struct Share {
    std::uint32_t devices;  // how many devices share the machine
    std::uint32_t index;    // the number of this device
    std::uint32_t threads;  // 0 = as many as there are cores in the set
  };

  explicit CoreSet(const Share& share);

  // The number of devices for a request without a number: one per NUMA node with cores.
  static std::uint32_t natural_count();

  std::uint32_t threads() const { return threads_; }
  bool shares_cores() const { return shares_cores_; }
  std::uint32_t numa_node() const;     // CONVOY_NONE when the set spans several
  std::uint64_t memory_bytes() const;  // of the set's NUMA nodes
  std::string processor_model() const;
  std::string list() const;  // hwloc's notation
  // Keeps the calling thread, and the threads it starts, on these cores. A refusal by the system is
  // harmless: the threads then run anywhere.
  void bind_this_thread() const;

 private:
  struct TopologyDeleter {
    void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
  };
  struct SetDeleter {
    void operator()(hwloc_bitmap_s* set) const { hwloc_bitmap_free(set); }
  };
  using Topology = std::shared_ptr<hwloc_topology>;

  // All sets that exist at one time share this topology.
  static Topology shared_topology();
  static Topology load();
  void choose_cores(const Share& share);

  Topology topology_;
  std::unique_ptr<hwloc_bitmap_s, SetDeleter> set_;
  std::uint32_t threads_ = 1;
  bool shares_cores_ = false;
};

}  // namespace convoy::cpu
