#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy::topology {

// A fact about the machine and its source ("sysfs max_link_speed", "share/catalogue/devices.json").
// Without a value it is unknown, also where a source says zero or nothing. If it is known why, the
// source says so.
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
  host_bridge,  // where a PCI tree hangs on a package or NUMA node
  pci_bridge,   // a root port, or a port of a PCI Express switch
  gpu,
  nvswitch,
  nic,
  network  // what joins the hosts' NICs
};

// What a slice (MIG) has of its GPU.
struct GpuPart {
  std::uint32_t multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
};

// Something that data passes through or ends in. `parent` is what contains it, or the next node
// towards the host on the PCI tree; the bandwidths are in the links.
struct Node {
  NodeKind kind = NodeKind::host;
  std::string name;        // "gpu0", "package1", "0000:5e:00.0"
  std::string model;       // as the source calls it: "Tesla P100-SXM2-16GB"; empty = unknown
  std::uint32_t host = 0;  // which host it belongs to
  std::optional<std::size_t> parent;
  std::optional<PciAddress> address;
  std::optional<PciId> id;
  std::string uuid;  // GPUs: "GPU-...", as the driver names it; a slice (MIG) in use, "MIG-..."
  std::optional<GpuPart> part;            // GPUs: of the slice in use, where the driver tells
  Fact<std::uint64_t> memory_bytes;       // GPUs, NUMA nodes
  Fact<double> memory_bytes_per_second;   // GPUs, NUMA nodes
  Fact<double> network_bytes_per_second;  // NICs: of the wire, in each direction
  Fact<bool> rdma;                    // NICs: moves bytes itself (InfiniBand, RoCE, EFA), no TCP
  Fact<bool> in_order;                // NICs: bytes of a message arrive in the order they left
  Fact<bool> peers_over_root;         // hosts: collectives use peer access over root ports, too
  bool reduces = false;               // networks: their switches reduce what passes (SHARP)
  Fact<double> network_step_seconds;  // NICs, networks: that a message takes longer over it
  Fact<std::uint32_t> cores;          // packages, NUMA nodes: physical cores
  std::vector<std::uint32_t> processing_units;  // logical processors of a NUMA node
  // GPUs of this machine: the number that the driver gives it in this process. Unknown with a
  // source: that is why this process cannot use it.
  Fact<std::uint32_t> device_number;
};

enum class LinkKind { internal, socket, pcie, nvlink, c2c, network };

// A full-duplex connection of two nodes. Bytes per second per direction, of all its physical links
// together; `raw` rates of a bus are kept here, what a copy reaches of them is a host's or device's
// constant.
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

// What is known of a machine, or a cluster of them: a graph. Nodes are stored parents first.
struct Machine {
  std::string name;
  std::string source;  // "this machine", a file, a platform
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<PeerAccess> peer_access;
  Fact<bool> virtual_machine;
  std::vector<std::string> notes;  // what a reader should know: a flat bus, a refused source, ...
};

}  // namespace convoy::topology
