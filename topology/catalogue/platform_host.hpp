#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/catalogue/catalogue.hpp"
#include "topology/catalogue/platform_network.hpp"
#include "topology/graph/machine.hpp"
#include "topology/read/described_file.hpp"

namespace convoy::topology {

// Builds the nodes and links of one host as a platform file describes it, any number of times.
class PlatformHost {
 public:
  PlatformHost(const DescribedFile& file, const Catalogue& catalogue);

  // Appends a host with this number to the machine. Its cards are linked to the network if there is
  // one.
  void append(Machine& machine, std::uint32_t host, const PlatformNetwork* network);
  // The network that joins hosts, not yet in any machine, and the rates of the cards that lead to
  // it.
  const PlatformNetwork& network() const { return network_; }
  std::vector<Fact<double>> card_rates() const;

  const std::string& name() const { return name_; }
  const std::string& host_constants() const { return host_constants_; }
  const std::string& source() const { return source_; }
  const std::vector<std::string>& notes() const { return notes_; }
  const Fact<bool>& virtual_machine() const { return virtual_machine_; }
  std::uint32_t gpus() const { return static_cast<std::uint32_t>(gpus_.size()); }
  std::uint32_t cards() const { return static_cast<std::uint32_t>(cards_.size()); }
  std::uint32_t input_cores() const { return input_cores_; }

 private:
  // A bridge below a package. Bridges are numbered, parents first.
  struct Bridge {
    bool is_root = false;
    std::size_t parent = 0;  // of a root: its package; of others: the bridge above
    Fact<double> uplink;
  };
  struct Gpu {
    bool placed = false;
    std::size_t bridge = 0;
    std::size_t package = 0;
  };
  struct Card {
    std::string name;
    std::size_t bridge = 0;
    Fact<double> rate;
    Fact<bool> rdma;
    Fact<double> step_seconds;
    Fact<bool> in_order;
  };
  struct Package {
    std::uint32_t cores = 0;
    double memory_bytes = 0;
  };
  struct NvlinkEdge {
    std::size_t from = 0;
    std::size_t to = 0;
    std::uint32_t bricks = 1;
  };

  void read_constants(DescribedObject& object, const Catalogue& catalogue);
  void read_package(DescribedObject object);
  void read_bridge(DescribedObject& object, std::size_t bridge);
  void place_gpus(DescribedObject& object, std::size_t bridge);
  void read_nvlink(DescribedObject& object);
  void check_bricks(const DescribedObject& object) const;
  void read_peer_access(DescribedObject& object);

  void append_packages(Machine& machine, std::uint32_t host, std::size_t root);
  void append_bridges(Machine& machine, std::uint32_t host);
  void append_gpus(Machine& machine, std::uint32_t host);
  void append_nvlink(Machine& machine, std::uint32_t host);
  void append_cards(Machine& machine, std::uint32_t host, const PlatformNetwork* network);
  void append_peer_access(Machine& machine);
  bool has_nvlink(std::size_t from, std::size_t to) const;

  std::string name_;
  std::string source_;
  std::string host_constants_;
  std::string processor_;
  std::vector<std::string> notes_;
  Fact<bool> virtual_machine_;
  std::uint32_t input_cores_ = 0;
  const DeviceEntry* device_ = nullptr;
  Fact<double> pcie_;
  Fact<double> c2c_;  // rate of every GPU's own link to its package
  Fact<double> socket_;
  Fact<double> memory_rate_;
  std::vector<Package> packages_;
  std::vector<Bridge> bridges_;
  std::vector<Gpu> gpus_;
  std::vector<Card> cards_;
  PlatformNetwork network_;
  std::vector<NvlinkEdge> edges_;
  std::uint32_t switched_bricks_ = 0;  // bricks of every GPU to the NVSwitches
  std::string peer_access_;
  std::string peer_access_source_;
  bool peers_over_root_ = false;
  std::uint32_t gpus_per_process_ = 0;  // 0: all

  // The numbers of nodes in the machine, for the host that is being appended.
  std::vector<std::size_t> package_nodes_;
  std::vector<std::size_t> bridge_nodes_;
  std::vector<std::size_t> gpu_nodes_;
};

}  // namespace convoy::topology
