#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "core/base/system/nvml_library.hpp"
#include "topology/detect/detect.hpp"
#include "topology/detect/driver_gpus.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/read/nvlink.hpp"
#include "topology/read/pci_class.hpp"

namespace convoy::topology {
namespace {

constexpr unsigned kRemoteSwitch = 2;  // NVML_NVLINK_DEVICE_TYPE_SWITCH
constexpr unsigned kRemoteCpu = 1;     // NVML_NVLINK_DEVICE_TYPE_IBMNPU

struct KnownGpu {
  NvmlDevice* device = nullptr;
  std::size_t node = 0;
};

class NvmlReader {
 public:
  NvmlReader(Machine& machine, const NvmlLibrary& library) : machine_(machine), library_(library) {}

  void read(const GpuVariables& variables) {
    find_gpus();
    mark_usable_gpus(machine_, variables, driver_gpus(library_));
    const bool has_links =
        std::any_of(machine_.links.begin(), machine_.links.end(),
                    [](const Link& link) { return link.kind == LinkKind::nvlink; });
    if (!has_links && library_.link_state != nullptr && library_.link_remote != nullptr)
      read_links();
    if (library_.peer_status != nullptr) read_peer_access();
  }

 private:
  void find_gpus() {
    const std::map<PciAddress, std::size_t> nodes = nodes_by_address(machine_);
    unsigned count = 0;
    if (library_.count(&count) != 0) return;
    for (unsigned i = 0; i < std::min(count, kMostNvmlDevices); ++i) {
      NvmlDevice* device = nullptr;
      NvmlPciInfo pci{};
      if (library_.device(i, &device) != 0 || library_.pci(device, &pci) != 0) continue;
      const auto node = nodes.find({pci.domain, pci.bus, pci.device, 0});
      gpus_.push_back({device, node == nodes.end() ? hidden_gpu(pci) : node->second});
      describe(gpus_.back());
    }
  }

  // Adds a GPU that the driver shows but /sys does not, as in some containers.
  std::size_t hidden_gpu(const NvmlPciInfo& pci) {
    const std::size_t package = nodes_of(machine_, NodeKind::package).front();
    const std::size_t bridge = append_host_bridge(machine_, package, {{}, "/sys does not show it"});
    const std::size_t node =
        append_node(machine_, NodeKind::gpu,
                    fmt::format("gpu{}", nodes_of(machine_, NodeKind::gpu).size()), bridge);
    machine_.nodes[node].address = PciAddress{pci.domain, pci.bus, pci.device, 0};
    machine_.nodes[node].id = PciId{static_cast<std::uint16_t>(pci.device_id & 0xffffU),
                                    static_cast<std::uint16_t>(pci.device_id >> 16)};
    append_link(machine_, bridge, node, LinkKind::pcie, {{}, "/sys does not show this GPU"});
    machine_.notes.push_back(
        fmt::format("{} is known from the driver only: where it is connected is unknown",
                    machine_.nodes[node].name));
    return node;
  }

  void describe(const KnownGpu& gpu) {
    Node& node = machine_.nodes[gpu.node];
    std::array<char, 96> text{};
    if (library_.name != nullptr && library_.name(gpu.device, text.data(), text.size()) == 0)
      node.model.assign(text.data(), std::find(text.begin(), text.end(), '\0') - text.begin());
    NvmlMemory memory{};
    if (library_.memory != nullptr && library_.memory(gpu.device, &memory) == 0 && memory.total > 0)
      node.memory_bytes = {memory.total, "NVML memory"};
    unsigned mode = 0;
    unsigned pending = 0;
    if (library_.mig_mode != nullptr && library_.mig_mode(gpu.device, &mode, &pending) == 0 &&
        mode == 1)
      machine_.notes.push_back(fmt::format(
          "{} is split by MIG: what is shown is the whole GPU, its parts are unknown", node.name));
  }

  void read_links() {
    NvlinkMatrix matrix;
    matrix.source = "NVML NVLink state";
    for (const KnownGpu& gpu : gpus_) matrix.ends.push_back(gpu.node);
    const std::map<PciAddress, std::size_t> nodes = nodes_by_address(machine_);
    std::map<std::pair<std::size_t, std::size_t>, double> rates;
    for (const KnownGpu& gpu : gpus_)
      for (unsigned link = 0; link < kNvmlLinks; ++link) {
        unsigned active = 0;
        if (library_.link_state(gpu.device, link, &active) != 0 || active == 0) continue;
        const auto remote = remote_of(gpu, link, nodes);
        if (!remote) continue;
        rates[{gpu.node, *remote}] += brick_rate(gpu, link);
        if (machine_.nodes[*remote].kind != NodeKind::gpu)
          rates[{*remote, gpu.node}] += brick_rate(gpu, link);
        if (std::find(matrix.ends.begin(), matrix.ends.end(), *remote) == matrix.ends.end())
          matrix.ends.push_back(*remote);
      }
    for (const std::size_t from : matrix.ends) {
      matrix.rates.emplace_back();
      for (const std::size_t to : matrix.ends) {
        const auto rate = rates.find({from, to});
        matrix.rates.back().push_back(rate == rates.end() ? 0 : rate->second);
      }
    }
    append_nvlinks(machine_, matrix, false);
  }

  double brick_rate(const KnownGpu& gpu, unsigned link) const {
    unsigned version = 0;
    if (library_.link_version != nullptr) library_.link_version(gpu.device, link, &version);
    return nvml_brick_rate(machine_.nodes[gpu.node], version);
  }

  std::optional<std::size_t> remote_of(const KnownGpu& gpu, unsigned link,
                                       const std::map<PciAddress, std::size_t>& nodes) {
    unsigned kind = 0xff;
    if (library_.link_remote_kind != nullptr) library_.link_remote_kind(gpu.device, link, &kind);
    if (kind == kRemoteSwitch) return the_switch();
    if (kind == kRemoteCpu) return package_of(gpu.node);
    NvmlPciInfo pci{};
    if (library_.link_remote(gpu.device, link, &pci) != 0) return {};
    const auto node = nodes.find({pci.domain, pci.bus, pci.device, 0});
    if (node != nodes.end() && machine_.nodes[node->second].kind == NodeKind::gpu)
      return node->second;
    // An end that is neither a GPU nor a processor is a switch, which virtual machines may hide.
    return the_switch();
  }

  std::size_t the_switch() {
    const std::vector<std::size_t> known = nodes_of(machine_, NodeKind::nvswitch);
    return known.empty() ? append_node(machine_, NodeKind::nvswitch, "nvswitch", {})
                         : known.front();
  }

  std::optional<std::size_t> package_of(std::size_t node) const {
    std::optional<std::size_t> at = node;
    while (at && machine_.nodes[*at].kind != NodeKind::package) at = machine_.nodes[*at].parent;
    return at;
  }

  void read_peer_access() {
    for (const KnownGpu& from : gpus_)
      for (const KnownGpu& to : gpus_) {
        if (from.node == to.node) continue;
        unsigned status = 0;
        const bool told = library_.peer_status(from.device, to.device, kNvmlPeerRead, &status) == 0;
        Fact<bool> possible{{}, "NVML P2P status"};
        if (told) possible.value = status == 0;
        machine_.peer_access.push_back({from.node, to.node, possible});
      }
  }

  Machine& machine_;
  const NvmlLibrary& library_;
  std::vector<KnownGpu> gpus_;
};

}  // namespace

void read_nvml(Machine& machine, const std::string& file, const GpuVariables& variables) {
  const auto is_nvidia = [](const Node& node) {
    return node.kind == NodeKind::gpu && node.id && node.id->vendor == kNvidia;
  };
  const std::unique_ptr<NvmlLibrary> library = NvmlLibrary::open(file);
  if (library) {
    NvmlReader(machine, *library).read(variables);
  } else if (std::any_of(machine.nodes.begin(), machine.nodes.end(), is_nvidia)) {
    machine.notes.push_back(fmt::format(
        "{} cannot be used: NVLink and peer access are unknown; is the driver installed?", file));
  }
}

}  // namespace convoy::topology
