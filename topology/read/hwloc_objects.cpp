#include "topology/read/hwloc_objects.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/read/pci_class.hpp"

namespace convoy::topology {
namespace {

std::optional<double> hwloc_speed(const pugi::xml_node& object) {
  const auto speed = parse_finite(object.attribute("pci_link_speed").value());  // GB/s
  if (!speed || *speed <= 0 || *speed > 1e6) return {};
  return *speed * 1e9;
}

// The first hwloc that reports PCI Express 4 and later for GPUs. Earlier versions report every
// faster GPU as generation 3 once NVML has told them its width.
constexpr std::array<unsigned, 3> kRightSpeeds = {2, 11, 0};

// Identifies an OpenFabrics device: type 3 in hwloc 2, bit 5 of the set of types in hwloc 3. In the
// other version, neither value means anything else for a network card.
bool is_rdma_device(const pugi::xml_node& function) {
  const auto type = parse_unsigned(function.attribute("osdev_type").value());
  return type && (*type == 3 || (*type >> 5 & 1U) != 0);
}

bool is_name(const pugi::xml_node& node, std::string_view name) {
  return name == node.name();
}

}  // namespace

HwlocObjects::HwlocObjects(Machine& machine, const XmlDocument& document)
    : machine_(machine), document_(document) {
  const auto version = hwloc_version(document);
  understates_gpus_ = version && *version < kRightSpeeds;
}

void HwlocObjects::read(const pugi::xml_node& root_object) {
  host_ = append_node(machine_, NodeKind::host, "host0", {});
  visit(root_object, {host_, {}, 0, {}});
  finish();
}

void HwlocObjects::visit(const pugi::xml_node& object, Place place) {
  const std::string_view type = object.attribute("type").value();
  if (type == "Package") read_package(object, place);
  if (type == "NUMANode") read_memory(object, place);
  if (type == "Core") read_core(object, place);
  if (type == "Bridge") read_bridge(object, place);
  if (type == "PCIDev") read_device(object, place);
  if (type == "OSDev" && place.up) remember(object, *place.up);
  for (const pugi::xml_node& child : object.children("object")) visit(child, place);
}

void HwlocObjects::remember(const pugi::xml_node& object, std::size_t node) {
  numbers_.emplace(
      fmt::format("{}:{}", object.attribute("type").value(), object.attribute("gp_index").value()),
      node);
}

void HwlocObjects::read_package(const pugi::xml_node& object, Place& place) {
  if (machine_.nodes[place.inside].kind == NodeKind::package)
    fail(ExitCode::kUsage, "{}: a package within a package; write the file again with lstopo",
         document_.where(object));
  place.inside =
      append_node(machine_, NodeKind::package,
                  fmt::format("package{}", nodes_of(machine_, NodeKind::package).size()), host_);
  machine_.nodes.back().model = hwloc_info(object, "CPUModel");
  remember(object, place.inside);
}

void HwlocObjects::read_memory(const pugi::xml_node& object, const Place& place) {
  const std::size_t node = append_node(machine_, NodeKind::numa_node,
                                       fmt::format("numa{}", memories_.size()), place.inside);
  Node& memory = machine_.nodes[node];
  memory.memory_bytes.source = machine_.source + " local_memory";
  if (const auto bytes = parse_unsigned(object.attribute("local_memory").value()); bytes && *bytes)
    memory.memory_bytes.value = *bytes;
  memories_.push_back({node, parse_hwloc_set(object.attribute("cpuset").value())});
  for (std::size_t unit = 0; unit < memories_.back().units.size(); ++unit)
    if (memories_.back().units[unit])
      memory.processing_units.push_back(static_cast<std::uint32_t>(unit));
  append_link(machine_, place.inside, node, LinkKind::internal,
              {{}, machine_.source + " does not tell memory rates"});
  remember(object, node);
}

void HwlocObjects::read_core(const pugi::xml_node& object, const Place& place) {
  ++core_counts_[place.inside];
  const std::vector<bool> units = parse_hwloc_set(object.attribute("cpuset").value());
  const auto first = std::find(units.begin(), units.end(), true);
  if (first != units.end()) core_units_.push_back(static_cast<std::size_t>(first - units.begin()));
}

void HwlocObjects::read_bridge(const pugi::xml_node& object, Place& place) {
  const bool is_root = std::string_view(object.attribute("bridge_type").value()).starts_with("0");
  const auto address = parse_pci_address(object.attribute("pci_busid").value());
  if (!is_root && !place.up)
    fail(ExitCode::kUsage,
         "{}: PCI bridge {} without the host bridge above it; write the file again with lstopo",
         document_.where(object), object.attribute("pci_busid").value());
  if (is_root) {
    const std::size_t number = nodes_of(machine_, NodeKind::host_bridge).size();
    const std::size_t node =
        append_node(machine_, NodeKind::host_bridge, fmt::format("bridge{}", number), place.inside);
    append_link(machine_, place.inside, node, LinkKind::internal,
                {{}, machine_.source + " does not tell rates within a processor"});
    place.up = node;
    place.bridges = 0;
    place.speed.reset();
    return;
  }
  const std::size_t node = append_node(
      machine_, NodeKind::pci_bridge,
      address ? format_pci_address(*address) : object.attribute("pci_busid").value(), place.up);
  machine_.nodes[node].address = address;
  machine_.nodes[node].id = parse_hwloc_pci_type(object.attribute("pci_type").value()).id;
  const auto speed = hwloc_speed(object);
  join_up(node, place, speed);
  place.up = node;
  ++place.bridges;
  place.speed = speed;
}

void HwlocObjects::join_up(std::size_t node, const Place& place, std::optional<double> speed) {
  const bool is_bridge = machine_.nodes[node].kind == NodeKind::pci_bridge;
  if (is_bridge && place.bridges % 2 == 0) {
    append_link(machine_, *place.up, node, LinkKind::internal,
                {{}, "within one chip: the rates of its ports count"});
    return;
  }
  Fact<double> rate{speed, machine_.source + " pci_link_speed"};
  if (place.bridges > 0 && place.speed) {
    if (!rate.known() || *place.speed < *rate.value) {
      rate.value = place.speed;
      rate.source += " of the port above";
    }
  }
  if (!rate.known()) rate.source += " is 0 or missing";
  append_link(machine_, *place.up, node, LinkKind::pcie, rate);
}

// Returns nothing if hwloc understates a GPU's speed: the port above it then has that of the link.
std::optional<double> HwlocObjects::device_speed(const pugi::xml_node& object,
                                                 const Place& place) const {
  const std::optional<double> speed = hwloc_speed(object);
  if (!understates_gpus_ || place.bridges == 0 || !place.speed) return speed;
  for (const pugi::xml_node& function : object.children("object"))
    if (std::string_view(function.attribute("name").value()).starts_with("nvml") &&
        speed < place.speed)
      return {};
  return speed;
}

void HwlocObjects::read_device(const pugi::xml_node& object, Place& place) {
  if (!place.up) {
    fail(ExitCode::kUsage,
         "{}: PCI device {} without the bridge above it; write the file again with lstopo",
         document_.where(object), object.attribute("pci_busid").value());
  }
  const PciType type = parse_hwloc_pci_type(object.attribute("pci_type").value());
  const std::string_view subtype = object.attribute("subtype").value();
  if (subtype == "NVSwitch" || is_nvswitch_id(type)) {
    nvswitches_.emplace(fmt::format("PCIDev:{}", object.attribute("gp_index").value()), true);
    return;
  }
  Node found;
  read_functions(object, found);
  const bool computes = found.kind == NodeKind::gpu;
  if (!computes && !is_gpu(type) && !is_network(type)) return;
  const NodeKind kind = computes || is_gpu(type) ? NodeKind::gpu : NodeKind::nic;
  const std::size_t number = nodes_of(machine_, kind).size();
  const bool is_nic = kind == NodeKind::nic;
  const std::size_t node =
      append_node(machine_, kind,
                  is_nic && !found.name.empty() ? found.name
                                                : fmt::format("{}{}", topology::name(kind), number),
                  place.up);
  machine_.nodes[node].address = parse_pci_address(object.attribute("pci_busid").value());
  machine_.nodes[node].id = type.id;
  machine_.nodes[node].model = found.model;
  machine_.nodes[node].memory_bytes = found.memory_bytes;
  if (is_nic) machine_.nodes[node].rdma = rdma_by_name(found.name, machine_.source + " name");
  join_up(node, place, device_speed(object, place));
  place.up = node;
  remember(object, node);
}

// Reads what the drivers report about a device: its name and model. A compute function makes it a
// GPU. hwloc lists a card's network interface (ibp12s0) before its RDMA device (mlx5_0), whose name
// is more useful, because the kernel keeps the rates of InfiniBand under it.
void HwlocObjects::read_functions(const pugi::xml_node& object, Node& node) {
  node.model = hwloc_info(object, "PCIDevice");
  node.memory_bytes.source = machine_.source + " does not tell it";
  bool has_rdma_name = false;
  for (const pugi::xml_node& function : object.children("object")) {
    const std::string_view name = function.attribute("name").value();
    if (name.starts_with("nvml") || name.starts_with("cuda") || name.starts_with("rsmi"))
      node.kind = NodeKind::gpu;
    if (const auto model = hwloc_info(function, "GPUModel"); !model.empty()) node.model = model;
    const auto kibibytes = parse_unsigned(hwloc_info(function, "CUDAGlobalMemorySize"));
    if (kibibytes && *kibibytes > 0 && *kibibytes < (std::uint64_t{1} << 40))
      node.memory_bytes = {*kibibytes * 1024, machine_.source + " CUDAGlobalMemorySize"};
    if (node.name.empty() && !name.starts_with("opencl")) node.name = name;
    if (!has_rdma_name && is_rdma_device(function) && !name.empty()) {
      node.name = name;
      has_rdma_name = true;
    }
  }
}

Fact<std::uint32_t> HwlocObjects::counted(std::uint32_t cores) const {
  if (cores == 0) return {{}, machine_.source + " shows no cores"};
  return {cores, machine_.source + " Core objects"};
}

void HwlocObjects::finish() {
  for (const std::size_t package : nodes_of(machine_, NodeKind::package))
    machine_.nodes[package].cores = counted(core_counts_[package]);
  for (const Memory& memory : memories_) {
    const auto within = [&](std::size_t unit) {
      return unit < memory.units.size() && memory.units[unit];
    };
    machine_.nodes[memory.node].cores = counted(
        static_cast<std::uint32_t>(std::count_if(core_units_.begin(), core_units_.end(), within)));
  }
}

std::string_view hwloc_info(const pugi::xml_node& object, std::string_view name) {
  for (const pugi::xml_node& child : object.children()) {
    if (is_name(child, "info") && name == child.attribute("name").value())
      return child.attribute("value").value();
    if (!is_name(child, "infos")) continue;
    for (const pugi::xml_node& info : child.children("info"))
      if (name == info.attribute("name").value()) return info.attribute("value").value();
  }
  return {};
}

std::optional<std::array<unsigned, 3>> hwloc_version(const XmlDocument& document) {
  std::string_view text = hwloc_info(document.root().child("object"), "hwlocVersion");
  if (text.empty()) text = hwloc_info(document.root(), "hwlocVersion");
  std::array<unsigned, 3> version{};
  for (unsigned& part : version) {
    const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
    const auto number = parse_unsigned(digits);
    if (!number || *number > 1000) return {};
    part = static_cast<unsigned>(*number);
    text.remove_prefix(std::min(digits.size() + 1, text.size()));
  }
  return version;
}

std::vector<bool> parse_hwloc_set(std::string_view text) {
  constexpr std::size_t kMostWords = 256;  // 8192 processors, the most that Linux can have
  std::vector<bool> set;
  if (text.starts_with("0xf...f")) return set;
  if (static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) >= kMostWords) return set;
  std::size_t first_bit = 0;
  while (!text.empty()) {
    const std::size_t comma = text.rfind(',');
    const std::string_view word = comma == std::string_view::npos ? text : text.substr(comma + 1);
    const std::uint64_t bits = parse_unsigned(word, 16).value_or(0);
    for (std::size_t bit = 0; bit < 32; ++bit)
      if (bits >> bit & 1U) {
        set.resize(std::max(set.size(), first_bit + bit + 1));
        set[first_bit + bit] = true;
      }
    first_bit += 32;
    if (comma == std::string_view::npos) break;
    text = text.substr(0, comma);
  }
  return set;
}

}  // namespace convoy::topology
