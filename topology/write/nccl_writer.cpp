#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "topology/catalogue/catalogue.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/graph/nccl_family.hpp"
#include "topology/read/nccl_reader.hpp"
#include "topology/read/nvlink.hpp"
#include "topology/read/pci_class.hpp"
#include "topology/read/xml_document.hpp"

namespace convoy::topology {
namespace {

struct PcieShape {
  std::string speed;
  std::string width;
};

// Returns the link with this raw rate. It tries the widest links first, so x16 of one generation
// comes before x8 of the next.
PcieShape shape_of(const Fact<double>& rate) {
  static constexpr std::array<const char*, 6> kSpeeds = {"2.5 GT/s PCIe",  "5.0 GT/s PCIe",
                                                         "8.0 GT/s PCIe",  "16.0 GT/s PCIe",
                                                         "32.0 GT/s PCIe", "64.0 GT/s PCIe"};
  static constexpr std::array<const char*, 5> kWidths = {"16", "8", "4", "2", "1"};
  PcieShape best;
  double least = 0.05;  // largest accepted difference
  for (const char* width : kWidths)
    for (const char* speed : kSpeeds) {
      const double off = std::abs(*pcie_bytes_per_second(speed, width) / rate.value_or(1e-9) - 1);
      if (off >= least - 1e-3) continue;
      least = off;
      best = {speed, width};
    }
  return best;
}

// The identity of x86 processors in dumps: "GenuineIntel (family 6, model 143)".
struct ProcessorIds {
  std::string_view vendor;
  std::uint64_t family = 0;
  std::uint64_t model = 0;
};

// Returns nothing for other texts.
std::optional<ProcessorIds> parse_processor(std::string_view text) {
  constexpr std::string_view kFamily = " (family ";
  constexpr std::string_view kModel = ", model ";
  const std::size_t family = text.find(kFamily);
  const std::size_t model = text.find(kModel, family);
  if (family == 0 || model == std::string_view::npos || !text.ends_with(')')) return {};
  const std::size_t number = family + kFamily.size();
  const auto family_id = parse_unsigned(text.substr(number, model - number));
  const auto model_id =
      parse_unsigned(text.substr(model + kModel.size(), text.size() - 1 - model - kModel.size()));
  if (!family_id || !model_id) return {};
  return ProcessorIds{text.substr(0, family), *family_id, *model_id};
}

// Finds the identity by the processor's name, else by the catalogue's entry for its generation.
std::optional<ProcessorIds> processor_ids(const std::string& processor,
                                          const Catalogue& catalogue) {
  if (const auto named = parse_processor(processor)) return named;
  const HostEntry* host = processor.empty() ? nullptr : catalogue.find_host(processor);
  if (host == nullptr) return {};
  for (const std::string& part : host->processors)
    if (const auto ids = parse_processor(part)) return ids;
  return {};
}

// Compute capabilities, times ten: of a generation's chips with many units for double precision,
// and of its other chips.
struct Architectures {
  const char* generation;
  unsigned with_doubles;
  unsigned others;
};
constexpr std::array<Architectures, 9> kArchitectures = {{{"kepler", 37, 30},
                                                          {"maxwell", 52, 52},
                                                          {"pascal", 60, 61},
                                                          {"volta", 70, 70},
                                                          {"turing", 75, 75},
                                                          {"ampere", 80, 86},
                                                          {"ada", 89, 89},
                                                          {"hopper", 90, 90},
                                                          {"blackwell", 100, 120}}};

// Returns 0 for GPUs of other generations and vendors.
unsigned architecture_of(const DeviceEntry& entry) {
  const bool with_doubles = entry.peak_f64.value_or(0) >= entry.peak_f32.value_or(0) / 4;
  for (const Architectures& it : kArchitectures)
    if (entry.generation == it.generation) return with_doubles ? it.with_doubles : it.others;
  return 0;
}

class DumpWriter {
 public:
  DumpWriter(const Machine& machine, const Catalogue& catalogue)
      : machine_(machine),
        catalogue_(catalogue),
        up_(parent_links(machine)),
        children_(machine.nodes.size()) {
    for (std::size_t i = 0; i < machine.nodes.size(); ++i)
      if (machine.nodes[i].parent) children_[*machine.nodes[i].parent].push_back(i);
  }

  std::string write() {
    pugi::xml_document document;
    pugi::xml_node system = document.append_child("system");
    system.append_attribute("version") = "1";
    unsigned number = 0;
    for (const std::size_t package : nodes_of(machine_, NodeKind::package)) {
      if (machine_.nodes[package].host != 0) continue;
      pugi::xml_node cpu = system.append_child("cpu");
      cpu.append_attribute("numaid") = number++;
      if (const auto ids = processor_ids(machine_.nodes[package].model, catalogue_))
        write_processor(cpu, *ids);
      else if (is_superchip(package))
        cpu.append_attribute("arch") = "arm64";
      write_below(cpu, package);
    }
    std::ostringstream text;
    document.save(text, "  ", pugi::format_default | pugi::format_no_declaration);
    return text.str();
  }

 private:
  // NCCL looks only at x86 processors.
  static void write_processor(pugi::xml_node cpu, const ProcessorIds& ids) {
    cpu.append_attribute("arch") = "x86_64";
    cpu.append_attribute("vendor") = std::string(ids.vendor).c_str();
    cpu.append_attribute("familyid") = static_cast<unsigned long long>(family_in_nccl(ids.family));
    cpu.append_attribute("modelid") = static_cast<unsigned long long>(ids.model);
  }

  // Only ARM processors have links between their memory and GPUs.
  bool is_superchip(std::size_t package) const {
    return std::ranges::any_of(machine_.links, [&](const Link& link) {
      return link.kind == LinkKind::c2c && link.b == package;
    });
  }

  void write_below(pugi::xml_node parent, std::size_t node) {
    for (const std::size_t child : children_[node]) {
      const NodeKind kind = machine_.nodes[child].kind;
      const bool is_device = kind == NodeKind::gpu || kind == NodeKind::nic;
      const bool is_port = kind == NodeKind::pci_bridge && up_[child] &&
                           machine_.links[*up_[child]].kind == LinkKind::pcie;
      if (is_device || is_port)
        write_below(write_pci(parent, child), child);
      else if (kind == NodeKind::host_bridge || kind == NodeKind::pci_bridge)
        write_below(parent, child);
    }
  }

  pugi::xml_node write_pci(pugi::xml_node parent, std::size_t index) {
    const Node& node = machine_.nodes[index];
    pugi::xml_node pci = parent.append_child("pci");
    pci.append_attribute("busid") = busid(index).c_str();
    const bool is_gpu = node.kind == NodeKind::gpu;
    const bool is_nic = node.kind == NodeKind::nic;
    pci.append_attribute("class") = is_gpu ? "0x030200" : is_nic ? "0x020000" : "0x060400";
    if (node.id) {
      pci.append_attribute("vendor") = fmt::format("0x{:04x}", node.id->vendor).c_str();
      pci.append_attribute("device") = fmt::format("0x{:04x}", node.id->device).c_str();
    }
    PcieShape shape;
    if (up_[index]) shape = shape_of(machine_.links[*up_[index]].a_to_b);
    pci.append_attribute("link_speed") = shape.speed.c_str();
    pci.append_attribute("link_width") = shape.width.empty() ? "0" : shape.width.c_str();
    if (is_gpu) write_gpu(pci.append_child("gpu"), index);
    if (is_nic) write_network(pci.append_child("nic").append_child("net"), node);
    return pci;
  }

  static void write_network(pugi::xml_node net, const Node& card) {
    net.append_attribute("name") = card.name.c_str();
    if (card.network_bytes_per_second.known())
      net.append_attribute("speed") = static_cast<unsigned long long>(
          std::llround(*card.network_bytes_per_second.value * 8e-6));
  }

  void write_gpu(pugi::xml_node gpu, std::size_t index) {
    gpu.append_attribute("dev") = gpus_;
    gpu.append_attribute("rank") = gpus_++;
    if (const unsigned architecture = architecture_at(index))
      gpu.append_attribute("sm") = architecture;
    for (const Link& link : machine_.links) {
      if (link.kind == LinkKind::c2c && link.a == index) write_c2c(gpu, link);
      if (link.kind != LinkKind::nvlink || (link.a != index && link.b != index)) continue;
      const std::size_t other = link.a == index ? link.b : link.a;
      const NodeKind kind = machine_.nodes[other].kind;
      pugi::xml_node nvlink = gpu.append_child(is_nvidia(index) ? "nvlink" : "xgmi");
      nvlink.append_attribute("target") =
          kind == NodeKind::gpu ? busid(other).c_str() : "ffff:ff:1f.7";
      nvlink.append_attribute("count") = link.count;
      nvlink.append_attribute("tclass") = kind == NodeKind::gpu        ? "0x030200"
                                          : kind == NodeKind::nvswitch ? "0x068000"
                                                                       : "0x068001";
    }
  }

  // Writes the rate of one of its links in megabytes per second.
  static void write_c2c(pugi::xml_node gpu, const Link& link) {
    pugi::xml_node chip = gpu.append_child("c2c");
    if (link.a_to_b.known() && link.count > 0)
      chip.append_attribute("bw") =
          static_cast<unsigned long long>(std::llround(*link.a_to_b.value * 1e-6 / link.count));
    chip.append_attribute("count") = link.count;
  }

  // GPUs of unknown vendor count as NVIDIA's.
  bool is_nvidia(std::size_t gpu) const {
    const auto& id = machine_.nodes[gpu].id;
    return !id || id->vendor == kNvidia;
  }

  // Returns the architecture from the catalogue, else the lowest one with the rate of a brick.
  // Returns 0 if neither tells, and for GPUs of AMD, whose sm counts compute units.
  unsigned architecture_at(std::size_t index) const {
    if (!is_nvidia(index)) return 0;
    const DeviceEntry* entry = catalogue_.find_device(machine_.nodes[index]);
    const unsigned known = entry == nullptr ? 0 : architecture_of(*entry);
    return known > 0 ? known : architecture_by_links(index);
  }

  unsigned architecture_by_links(std::size_t index) const {
    for (const Link& link : machine_.links) {
      if (link.kind != LinkKind::nvlink || (link.a != index && link.b != index)) continue;
      if (!link.a_to_b.known() || link.count == 0) continue;
      const double brick = *link.a_to_b.value / link.count;
      if (brick < 17e9) return 86;
      if (brick < 22e9) return 60;
      return brick < 40e9 ? 70 : 100;
    }
    return 0;
  }

  // A described machine has no addresses, so the numbers of its nodes serve.
  std::string busid(std::size_t index) const {
    const Node& node = machine_.nodes[index];
    if (node.address) return format_pci_address(*node.address);
    const auto number = static_cast<std::uint32_t>(index);
    return format_pci_address({number >> 13, number >> 5 & 0xffU, number & 0x1fU, 0});
  }

  const Machine& machine_;
  const Catalogue& catalogue_;
  std::vector<std::optional<std::size_t>> up_;
  std::vector<std::vector<std::size_t>> children_;
  unsigned gpus_ = 0;
};

}  // namespace

std::string write_nccl_dump(const Machine& machine, const Catalogue& catalogue) {
  return DumpWriter(machine, catalogue).write();
}

}  // namespace convoy::topology
