#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy::topology {

// A fact about the machine and its source ("sysfs max_link_speed", "share/catalogue/devices.json").
// Without a value it is unknown, also if a source reports zero or nothing. If the reason is known,
// the source states it.
template <typename T>
struct Fact {
  std::optional<T> value;
  std::string source;

  bool known() const { return value.has_value(); }
  T value_or(T other) const { return value.value_or(other); }
};

struct PciAddress {
  std::uint32_t domain = 0;
  std::uint32_t bus = 0;
  std::uint32_t device = 0;
  std::uint32_t function = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the generated 0 for a pointer.
  auto operator<=>(const PciAddress&) const = default;
};

struct PciId {
  std::uint16_t vendor = 0;
  std::uint16_t device = 0;

  auto operator<=>(const PciId&) const = default;
};

enum class NodeKind {
  host,         // one operating system; the root of everything in it
  package,      // a processor socket
  numa_node,    // memory with the cores near it
  host_bridge,  // where a PCI tree is attached to a package or NUMA node
  pci_bridge,   // a root port, or a port of a PCI Express switch
  gpu,
  nvswitch,
  nic,
  network  // joins the hosts' NICs
};

// The part of its GPU that a slice (MIG) has.
struct GpuPart {
  std::uint32_t multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
};

// A part of the machine that data pass through or end in. `parent` is the node that contains it, or
// the next node towards the host on the PCI tree. Bandwidths are stored in the links.
struct Node {
  NodeKind kind = NodeKind::host;
  std::string name;        // "gpu0", "package1", "0000:5e:00.0"
  std::string model;       // as the source calls it: "Tesla P100-SXM2-16GB"; empty = unknown
  std::uint32_t host = 0;  // which host it belongs to
  std::optional<std::size_t> parent;
  std::optional<PciAddress> address;
  std::optional<PciId> id;
  std::string uuid;  // GPUs: "GPU-...", as the driver names it; for a slice (MIG) in use, "MIG-..."
  std::optional<GpuPart> part;            // GPUs: the slice in use, if the driver reports one
  Fact<std::uint64_t> memory_bytes;       // GPUs, NUMA nodes
  Fact<double> memory_bytes_per_second;   // GPUs, NUMA nodes
  Fact<double> network_bytes_per_second;  // NICs: rate of the wire, per direction
  Fact<bool> rdma;             // NICs: moves bytes itself (InfiniBand, RoCE, EFA), without TCP
  Fact<bool> in_order;         // NICs: bytes of a message arrive in the order they left
  Fact<bool> peers_over_root;  // hosts: collectives also use peer access over root ports
  // Hosts: the GPUs of one process, if the host is several computers, such as trays of a rack.
  Fact<std::uint32_t> gpus_per_process;
  bool reduces = false;               // networks: its switches reduce what passes (SHARP)
  Fact<double> network_step_seconds;  // NICs, networks: what it adds to the time of a message
  Fact<std::uint32_t> cores;          // packages, NUMA nodes: physical cores
  std::vector<std::uint32_t> processing_units;  // logical processors of a NUMA node
  // GPUs of this machine: the number that the driver gives it in this process. If it is unknown
  // with a source, the source says why this process cannot use the GPU.
  Fact<std::uint32_t> device_number;
};

enum class LinkKind { internal, socket, pcie, nvlink, c2c, network };

// A full-duplex connection of two nodes. Rates are in bytes per second per direction, of all its
// physical links together. They are the `raw` rates of a bus; the part of it that a copy reaches is
// a constant of a host or device.
struct Link {
  std::size_t a = 0;
  std::size_t b = 0;
  LinkKind kind = LinkKind::internal;
  std::uint32_t count = 1;  // physical links: NVLink bricks
  Fact<double> a_to_b;
  Fact<double> b_to_a;
};

// Whether device `from` may address memory of device `to`, as the driver or a described machine
// says.
struct PeerAccess {
  std::size_t from = 0;
  std::size_t to = 0;
  Fact<bool> possible;
};

// The known facts about a machine, or a cluster of machines, as a graph. Nodes are stored parents
// first.
struct Machine {
  std::string name;
  std::string source;  // "this machine", a file, a platform
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<PeerAccess> peer_access;
  Fact<bool> virtual_machine;
  std::vector<std::string> notes;  // for readers: a flat bus, a refused source, ...
};

}  // namespace convoy::topology
