#include "topology/read/nccl_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "core/base/error.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/graph/nccl_family.hpp"
#include "topology/read/nvlink.hpp"
#include "topology/read/pci_class.hpp"
#include "topology/read/xml_document.hpp"

namespace convoy::topology {
namespace {

// PCI classes including the programming interface, which distinguishes an NVSwitch from POWER's
// NVLink bridge.
constexpr std::uint64_t kSwitchClass = 0x068000;
constexpr std::uint64_t kProcessorClass = 0x068001;

std::uint64_t full_class(const pugi::xml_attribute& attribute) {
  return parse_unsigned(attribute.value(), 16).value_or(0);
}

// Returns "0x030200" without the programming interface: 0x0302.
std::uint16_t dump_class(const pugi::xml_attribute& attribute) {
  return static_cast<std::uint16_t>(full_class(attribute) >> 8 & 0xffffU);
}

std::optional<PciId> dump_id(const pugi::xml_node& pci) {
  const auto vendor = parse_unsigned(pci.attribute("vendor").value(), 16);
  const auto device = parse_unsigned(pci.attribute("device").value(), 16);
  if (!vendor || !device || *vendor == 0 || *vendor > 0xffff || *device > 0xffff) return {};
  return PciId{static_cast<std::uint16_t>(*vendor), static_cast<std::uint16_t>(*device)};
}

bool is_link_to_memory(const pugi::xml_node& element) {
  return std::string_view(element.name()) == "c2c";
}

// Returns "GenuineIntel (family 6, model 79)", the form of the catalogue's hosts; empty when
// unknown. For ARM processors, NCCL reports only the architecture. Of these, only Grace has links
// to GPUs.
std::string processor_name(const pugi::xml_node& cpu) {
  if (std::string_view(cpu.attribute("arch").value()) == "arm64")
    return cpu.find_node(is_link_to_memory) ? "NVIDIA Grace" : "";
  const std::string_view vendor = cpu.attribute("vendor").value();
  const auto family = parse_unsigned(cpu.attribute("familyid").value());
  const auto model = parse_unsigned(cpu.attribute("modelid").value());
  if (vendor.empty() || !family || !model) return {};
  return fmt::format("{} (family {}, model {})", vendor, family_of_nccl(*family), *model);
}

class DumpReader {
 public:
  DumpReader(Machine& machine, const XmlDocument& document)
      : machine_(machine), document_(document) {}

  void read(const pugi::xml_node& system) {
    host_ = append_node(machine_, NodeKind::host, "host0", {});
    for (const pugi::xml_node& cpu : system.children("cpu")) read_cpu(cpu);
    if (nodes_of(machine_, NodeKind::package).empty())
      fail(ExitCode::kUsage, "{}: no <cpu>; write it again with NCCL_TOPO_DUMP_FILE",
           document_.where(system));
    for (const auto& [element, gpu] : nvlinks_) read_nvlink(element, gpu);
    std::vector<Link>& links = machine_.links;
    for (const auto& [ends, link] : direct_) links.push_back(link);
    add_notes_of_dump();
  }

 private:
  void read_cpu(const pugi::xml_node& cpu) {
    const std::size_t number = nodes_of(machine_, NodeKind::package).size();
    const std::size_t package =
        append_node(machine_, NodeKind::package, fmt::format("package{}", number), host_);
    machine_.nodes[package].model = processor_name(cpu);
    const std::size_t memory = append_node(
        machine_, NodeKind::numa_node,
        fmt::format("numa{}", parse_unsigned(cpu.attribute("numaid").value()).value_or(number)),
        package);
    const Fact<double> untold{{}, machine_.source + " does not tell it"};
    append_link(machine_, package, memory, LinkKind::internal, untold);
    for (const pugi::xml_node& pci : cpu.children("pci")) {
      read_pci(pci, append_host_bridge(machine_, package, untold));
    }
    for (const pugi::xml_node& nic : cpu.children("nic"))
      if (is_card(nic)) read_network(nic, package);
  }

  void read_pci(const pugi::xml_node& pci, std::size_t up) {
    const auto address = parse_pci_address(pci.attribute("busid").value());
    if (!address)
      fail(ExitCode::kUsage,
           "{}: busid '{}' is not a PCI address; write it again with NCCL_TOPO_DUMP_FILE",
           document_.where(pci), pci.attribute("busid").value());
    const PciType type{dump_class(pci.attribute("class")), dump_id(pci)};
    const pugi::xml_node gpu = pci.child("gpu");
    NodeKind kind = NodeKind::pci_bridge;
    // Devices that NCCL uses as GPUs are GPUs, whatever their class. The files that clouds provide
    // have no <gpu> elements.
    if (gpu || is_gpu(type)) kind = NodeKind::gpu;
    if (pci.child("nic") || is_network(type)) kind = NodeKind::nic;
    std::string node_name = format_pci_address(*address);
    if (kind == NodeKind::gpu)
      node_name = fmt::format("gpu{}", nodes_of(machine_, NodeKind::gpu).size());
    const std::size_t node = append_node(machine_, kind, std::move(node_name), up);
    machine_.nodes[node].address = address;
    machine_.nodes[node].id = type.id;
    machine_.nodes[node].memory_bytes.source = machine_.source + " does not tell it";
    Fact<double> rate{pcie_bytes_per_second(pci.attribute("link_speed").value(),
                                            pci.attribute("link_width").value()),
                      machine_.source + " link_speed and link_width"};
    if (!rate.known()) rate.source += " are empty or zero";
    append_link(machine_, up, node, LinkKind::pcie, rate);
    if (gpu) nvlinks_.emplace_back(gpu, node);
    if (kind == NodeKind::gpu && !type.id) ++gpus_without_id_;
    for (const pugi::xml_node& chip : gpu.children("c2c")) read_c2c(chip, node);
    if (kind == NodeKind::nic) describe_network(pci.child("nic"), node);
    for (const pugi::xml_node& child : pci.children("pci")) read_pci(child, node);
  }

  // Reads a card's ports, each with its speed in megabits per second.
  void describe_network(const pugi::xml_node& nic, std::size_t index) {
    Node& card = machine_.nodes[index];
    const std::string_view given = nic.child("net").attribute("name").value();
    if (!given.empty()) card.name = given;
    card.rdma = rdma_by_name(given, machine_.source + " name of <net>");
    card.network_bytes_per_second.source = machine_.source + " speed of <net>";
    for (const pugi::xml_node& port : nic.children("net"))
      if (const auto rate = megabits_per_second(parse_unsigned(port.attribute("speed").value())))
        card.network_bytes_per_second.value = card.network_bytes_per_second.value_or(0) + *rate;
  }

  void add_notes_of_dump() {
    if (gpus_without_id_ > 0)
      machine_.notes.push_back(fmt::format(
          "the dump does not say which kind {} of its GPUs are (no vendor and device of <pci>): "
          "their speeds are unknown",
          gpus_without_id_));
    if (!left_out_.empty())
      machine_.notes.push_back(
          fmt::format("bridges and virtual interfaces are no network cards: {} "
                      "left out",
                      fmt::join(left_out_, ", ")));
  }

  // Returns false for interfaces that a host's software makes up: bridges, tunnels, ends of
  // containers' cables.
  bool is_card(const pugi::xml_node& nic) {
    static constexpr std::array<std::string_view, 9> kMadeUp = {
        "docker", "br-", "virbr", "veth", "lo", "cni", "flannel", "tun", "tap"};
    bool any = !nic.child("net");
    for (const pugi::xml_node& net : nic.children("net")) {
      const std::string_view given = net.attribute("name").value();
      const bool made_up =
          std::any_of(kMadeUp.begin(), kMadeUp.end(), [&](std::string_view prefix) {
            return given.starts_with(prefix) && (prefix != "lo" || given == "lo");
          });
      if (made_up) left_out_.emplace_back(given);
      any = any || !made_up;
    }
    return any;
  }

  // Reads a GPU's own link to the memory of its processor: Grace Hopper, Grace Blackwell.
  void read_c2c(const pugi::xml_node& chip, std::size_t gpu) {
    const auto megabytes = parse_finite(chip.attribute("bw").value());
    const auto count = parse_unsigned(chip.attribute("count").value());
    std::size_t package = gpu;
    while (machine_.nodes[package].kind != NodeKind::package)
      package = *machine_.nodes[package].parent;
    Fact<double> rate{{}, machine_.source + " bw and count of <c2c>"};
    if (megabytes && *megabytes > 0 && count && *count > 0 && *count <= 1000)
      rate.value = *megabytes * 1e6 * static_cast<double>(*count);
    append_link(machine_, gpu, package, LinkKind::c2c, rate,
                static_cast<std::uint32_t>(std::clamp<std::uint64_t>(count.value_or(1), 1, 1000)));
  }

  // Reads cards of virtual machines, which are directly below a processor.
  void read_network(const pugi::xml_node& nic, std::size_t package) {
    const std::size_t node = append_node(machine_, NodeKind::nic, "nic", package);
    append_link(machine_, package, node, LinkKind::pcie,
                {{}, machine_.source + " does not tell it"});
    describe_network(nic, node);
  }

  void read_nvlink(const pugi::xml_node& gpu, std::size_t from) {
    const auto architecture = parse_unsigned(gpu.attribute("sm").value());
    const double brick = architecture_brick_rate(static_cast<unsigned>(
        std::min<std::uint64_t>(architecture.value_or(0), std::numeric_limits<unsigned>::max())));
    for (const pugi::xml_node& link : gpu.children("nvlink")) {
      const std::uint32_t count = brick_count(link);
      Fact<double> rate{{}, machine_.source + " nvlink count, rate by architecture"};
      if (brick > 0) rate.value = brick * count;
      join(from, link, rate, count);
    }
    // AMD's links, in RCCL's dumps. The sm of AMD GPUs counts compute units; the catalogue knows
    // the rate.
    for (const pugi::xml_node& link : gpu.children("xgmi"))
      join(from, link, {{}, machine_.source + " xgmi count tells no rate"}, brick_count(link));
  }

  std::uint32_t brick_count(const pugi::xml_node& link) const {
    const auto count = parse_unsigned(link.attribute("count").value());
    if (!count || *count == 0 || *count > 1000)
      fail(ExitCode::kUsage, "{}: {} count '{}' is not from 1 to 1000; is it damaged?",
           document_.where(link), link.name() == std::string_view("xgmi") ? "xGMI" : "NVLink",
           link.attribute("count").value());
    return static_cast<std::uint32_t>(*count);
  }

  void join(std::size_t from, const pugi::xml_node& link, const Fact<double>& rate,
            std::uint32_t count) {
    const auto to =
        target(link.attribute("target").value(), full_class(link.attribute("tclass")), from);
    if (!to) {
      machine_.notes.push_back(fmt::format("NVLink of {} leads to {}, which the dump does not hold",
                                           machine_.nodes[from].name,
                                           link.attribute("target").value()));
      return;
    }
    if (*to == from) return;
    const bool both_gpus = machine_.nodes[*to].kind == NodeKind::gpu;
    const auto ends = std::minmax(from, *to);
    const auto [known, is_new] = direct_.try_emplace(ends);
    Link& joined = known->second;
    if (is_new) joined = {ends.first, ends.second, LinkKind::nvlink, 0, {}, {}};
    const bool forward = from == joined.a;
    add(forward ? joined.a_to_b : joined.b_to_a, rate);
    if (!both_gpus) add(forward ? joined.b_to_a : joined.a_to_b, rate);
    // GPUs name each other: both directions use the same bricks.
    if (forward || !both_gpus || is_new) joined.count += count;
  }

  static void add(Fact<double>& sum, const Fact<double>& rate) {
    if (sum.source.empty())
      sum = rate;
    else if (sum.known() && rate.known())
      *sum.value += *rate.value;
  }

  std::optional<std::size_t> target(std::string_view busid, std::uint64_t kind, std::size_t from) {
    if (kind == kSwitchClass) {
      if (!switch_) switch_ = append_node(machine_, NodeKind::nvswitch, "nvswitch", {});
      return switch_;
    }
    if (kind == kProcessorClass) {
      std::size_t node = from;  // the GPU's own package
      while (machine_.nodes[node].kind != NodeKind::package) node = *machine_.nodes[node].parent;
      return node;
    }
    const auto address = parse_pci_address(busid);
    for (const auto& [element, gpu] : nvlinks_)
      if (address && machine_.nodes[gpu].address == address) return gpu;
    return {};
  }

  Machine& machine_;
  const XmlDocument& document_;
  std::size_t host_ = 0;
  std::vector<std::pair<pugi::xml_node, std::size_t>> nvlinks_;
  std::map<std::pair<std::size_t, std::size_t>, Link> direct_;
  std::optional<std::size_t> switch_;
  std::size_t gpus_without_id_ = 0;
  std::vector<std::string> left_out_;  // names of interfaces
};

}  // namespace

Machine read_nccl_dump(std::string_view text, const std::string& source) {
  const XmlDocument document(text, source);
  const pugi::xml_node system = document.root();
  if (std::string_view(system.name()) != "system")
    fail(ExitCode::kUsage, "{}: <{}> where NCCL's <system> belongs; set NCCL_TOPO_DUMP_FILE",
         source, system.name());
  const std::string_view version = system.attribute("version").value();
  if (!version.empty() && version != "1" && version != "2")
    fail(ExitCode::kUsage,
         "{}: topology dump of version '{}'; 1 and 2 are known; dump it with NCCL 2", source,
         version);
  Machine machine;
  machine.source = source;
  machine.virtual_machine.source = source + " does not tell it";
  DumpReader(machine, document).read(system);
  append_socket_links(machine, source + " does not tell rates between packages");
  return machine;
}

}  // namespace convoy::topology
