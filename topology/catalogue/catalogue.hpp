#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// What is known of a kind of GPU. Rates in operations (two per multiply-add) or bytes per second,
// times in seconds; every value with its source. Unknown where the catalogue does not say.
struct DeviceEntry {
  std::string name;
  std::string generation;  // "volta": what collectives reach of its links
  std::vector<PciId> ids;

  Fact<double> peak_f64;
  Fact<double> peak_f32;
  Fact<double> peak_tf32;
  Fact<double> peak_f16;
  Fact<double> peak_bf16;
  Fact<double> memory_bytes_per_second;
  Fact<double> memory_bytes;
  Fact<double> reserved_bytes;  // of the memory: driver context, libraries
  Fact<double> multiprocessors;
  Fact<double> copy_engines;

  Fact<double> nvlink_bricks;
  Fact<double> nvlink_bytes_per_second;  // of one brick and direction, as specified
  Fact<double> nvswitch_gpus;            // boards with this number of GPUs join them by NVSwitches

  Fact<double> flops_efficiency;   // what convolutions reach of peak_f32
  Fact<double> memory_efficiency;  // what element-wise kernels reach of the memory's rate
  Fact<double> kernel_seconds;     // from one kernel's end to the next one's start, at least
  Fact<double> gain_3x3;           // how much faster Winograd or FFT makes 3x3 and 5x5 convolutions
  Fact<double> gain_5x5;
  // What layers reach in f32, where published rates of networks tell: instead of the two above.
  Fact<double> layer_flops_efficiency;
  Fact<double> layer_memory_efficiency;
  Fact<double> narrow_channels;  // with this number, products reach half of what wide ones do
  // The same with matrix units: TF32 and 16 bits.
  Fact<double> tensor_memory_efficiency;
  Fact<double> tensor_operations_per_byte;  // of the memory's rate, that products reach at most

  Fact<double> collective_progress;  // part of its rate that a collective reaches while layers run
  Fact<double> collective_tax;       // by how much layers take longer meanwhile
  Fact<double> collective_seconds;   // fixed cost of one

  Fact<double> dies_per_board;  // that share one power budget; unknown = 1
  Fact<double> board_coupling;  // compute rate when all of them are busy, relative to one
};

// What is known of a generation of hosts, by their processors.
struct HostEntry {
  std::string name;
  std::vector<std::string> processors;  // parts of the names that processors of it have

  Fact<double> memory_bytes_per_second;  // of one package
  Fact<double> socket_bytes_per_second;  // between two packages, per direction
  Fact<double> add_bytes_per_second;     // element-wise work: bytes read and written, all packages
  Fact<double> pcie_efficiency;          // what copies reach of the links' raw rates
  Fact<double> nvlink_efficiency;
  Fact<double> socket_efficiency;
  Fact<double> network_efficiency;  // TCP
  Fact<double> rdma_efficiency;     // cards that move bytes themselves
  Fact<double> decoded_images_per_core;
  Fact<double> nvlink_hop_seconds;  // latency of a step of a collective
  Fact<double> pcie_hop_seconds;
  Fact<double> network_hop_seconds;
  Fact<double> proxy_seconds;  // per step of a ring between hosts that a thread serves, at least
  Fact<double> root_overhead;  // of what devices send each other over root ports: times its bytes
  // The most GPUs of a collective that use peer access over root ports by default.
  Fact<double> peers_over_root;
};

// The constants of devices and hosts, as files describe them: devices.json and hosts.json.
class Catalogue {
 public:
  // Both files of a folder. Throws Error (kUsage) with file, line and field.
  static Catalogue read(const std::filesystem::path& folder);

  const std::vector<DeviceEntry>& devices() const { return devices_; }
  const std::vector<HostEntry>& hosts() const { return hosts_; }

  // Null when there is none.
  const DeviceEntry* find_device(const PciId& id) const;
  const DeviceEntry* find_device(std::string_view name) const;
  // Of a GPU, by its PCI id, else its model.
  const DeviceEntry* find_device(const Node& gpu) const;
  // By the name of the entry, or of a processor: "Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz".
  const HostEntry* find_host(std::string_view name) const;

  // What to tell somebody whose GPU is not in the catalogue: its speed is unknown, what to add
  // where.
  std::string missing_device(const Node& gpu) const;
  // The entry "unknown" of hosts.json, for machines of which nothing else is known.
  const HostEntry& fallback_host() const;

 private:
  std::filesystem::path folder_;
  std::vector<DeviceEntry> devices_;
  std::vector<HostEntry> hosts_;
};

// "10de:15f9"; nothing for other texts.
std::optional<PciId> parse_pci_id(std::string_view text);
std::string format_pci_id(const PciId& id);

}  // namespace convoy::topology
