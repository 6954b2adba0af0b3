#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// The known facts about a kind of GPU, each with its source. Rates are in operations (two per
// multiply-add) or bytes per second, times in seconds. A fact is unknown if the catalogue does not
// state it.
struct DeviceEntry {
  std::string name;
  std::string generation;  // "volta": selects what collectives reach of its links
  std::vector<PciId> ids;

  Fact<double> peak_f64;
  Fact<double> peak_f32;
  Fact<double> peak_tf32;
  Fact<double> peak_f16;
  Fact<double> peak_bf16;
  Fact<double> memory_bytes_per_second;
  Fact<double> memory_bytes;
  Fact<double> reserved_bytes;  // part of the memory: driver context, libraries
  Fact<double> multiprocessors;
  Fact<double> copy_engines;

  Fact<double> nvlink_bricks;
  Fact<double> nvlink_bytes_per_second;  // of one brick, per direction, as specified
  Fact<double> nvswitch_gpus;            // boards with this number of GPUs join them by NVSwitches

  Fact<double> flops_efficiency;   // the part of peak_f32 that convolutions reach
  Fact<double> memory_efficiency;  // the part of the memory's rate that element-wise kernels reach
  Fact<double> kernel_seconds;     // least time from one kernel's end to the next one's start
  Fact<double> gain_3x3;           // how much faster Winograd or FFT makes 3x3 and 5x5 convolutions
  Fact<double> gain_5x5;
  // The parts that layers reach in f32, if published rates of networks tell them. They replace the
  // two above.
  Fact<double> layer_flops_efficiency;
  Fact<double> layer_memory_efficiency;
  // With this many channels, products reach half of what wide ones do
  Fact<double> narrow_channels;
  // The same with matrix units, in TF32 and 16 bits.
  Fact<double> tensor_memory_efficiency;
  // Products reach at most this many per byte of the memory's rate
  Fact<double> tensor_operations_per_byte;

  Fact<double> collective_progress;  // part of its rate that a collective reaches while layers run
  Fact<double> collective_tax;       // by which part layers take longer meanwhile
  Fact<double> collective_seconds;   // fixed cost of one collective

  Fact<double> dies_per_board;  // dies that share one power budget; unknown = 1
  Fact<double> board_coupling;  // compute rate when all dies are busy, relative to one busy die
};

// The known facts about a generation of hosts, which their processors identify.
struct HostEntry {
  std::string name;
  std::vector<std::string> processors;  // parts of the names of its processors

  Fact<double> memory_bytes_per_second;  // of one package
  Fact<double> socket_bytes_per_second;  // between two packages, per direction
  Fact<double> add_bytes_per_second;     // element-wise work: bytes read and written, all packages
  Fact<double> pcie_efficiency;          // the part of the links' raw rates that copies reach
  Fact<double> nvlink_efficiency;
  Fact<double> socket_efficiency;
  Fact<double> network_efficiency;  // TCP
  Fact<double> rdma_efficiency;     // for cards that move bytes themselves
  Fact<double> decoded_images_per_core;
  Fact<double> nvlink_hop_seconds;  // latency of a step of a collective
  Fact<double> pcie_hop_seconds;
  Fact<double> network_hop_seconds;
  Fact<double> proxy_seconds;  // least time per step of a ring between hosts that a thread serves
  // How many bytes a byte counts as when devices send it over root ports
  Fact<double> root_overhead;
  // The most GPUs of a collective that use peer access over root ports by default.
  Fact<double> peers_over_root;
};

// The constants of devices and hosts, as files describe them: devices.json and hosts.json.
class Catalogue {
 public:
  // Reads both files of a folder. Throws Error (kUsage) with file, line and field.
  static Catalogue read(const std::filesystem::path& folder);

  const std::vector<DeviceEntry>& devices() const { return devices_; }
  const std::vector<HostEntry>& hosts() const { return hosts_; }

  // Return null when there is no such entry.
  const DeviceEntry* find_device(const PciId& id) const;
  const DeviceEntry* find_device(std::string_view name) const;
  // Finds the entry of a GPU by its PCI id, else by its model.
  const DeviceEntry* find_device(const Node& gpu) const;
  // Finds a host by the name of the entry, alone or in parentheses at the end, or of a processor:
  // "Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz".
  const HostEntry* find_host(std::string_view name) const;

  // Returns a message for a user whose GPU is not in the catalogue. It says that the GPU's speed is
  // unknown, and what to add where.
  std::string missing_device(const Node& gpu) const;
  // The entry "unknown" of hosts.json, for machines about which nothing else is known.
  const HostEntry& fallback_host() const;

 private:
  std::filesystem::path folder_;
  std::vector<DeviceEntry> devices_;
  std::vector<HostEntry> hosts_;
};

// Parses "10de:15f9"; returns nothing for other texts.
std::optional<PciId> parse_pci_id(std::string_view text);
std::string format_pci_id(const PciId& id);

}  // namespace convoy::topology
