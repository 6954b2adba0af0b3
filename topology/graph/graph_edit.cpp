#include "topology/graph/graph_edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text/number.hpp"

namespace convoy::topology {
namespace {

// Returns the part of a link's transfers that carries data: 8b/10b up to generation 2, 128b/130b up
// to 5. Generation 6 and later have no line code, but 14 of 256 bytes detect and correct errors.
double pcie_code(double transfers) {
  if (transfers < 8) return 0.8;
  return transfers < 64 ? 128.0 / 130.0 : 242.0 / 256.0;
}

}  // namespace

std::size_t append_node(Machine& machine, NodeKind kind, std::string name,
                        std::optional<std::size_t> parent) {
  if (machine.nodes.size() >= kMostNodes)
    fail(ExitCode::kUsage, "{}: more than {} nodes; no machine has as many, is the file damaged?",
         machine.source, kMostNodes);
  Node node;
  node.kind = kind;
  node.name = std::move(name);
  node.parent = parent;
  if (parent) node.host = machine.nodes.at(*parent).host;
  machine.nodes.push_back(std::move(node));
  return machine.nodes.size() - 1;
}

std::size_t append_link(Machine& machine, std::size_t a, std::size_t b, LinkKind kind,
                        const Fact<double>& rate, std::uint32_t count) {
  if (machine.links.size() >= kMostLinks)
    fail(ExitCode::kUsage, "{}: more than {} links; no machine has as many, is the file damaged?",
         machine.source, kMostLinks);
  machine.links.push_back({a, b, kind, count, rate, rate});
  return machine.links.size() - 1;
}

std::vector<std::optional<std::size_t>> parent_links(const Machine& machine) {
  std::vector<std::optional<std::size_t>> result(machine.nodes.size());
  const auto note = [&](std::size_t child, std::size_t parent, std::size_t link) {
    if (machine.nodes[child].parent == parent && !result[child]) result[child] = link;
  };
  for (std::size_t i = 0; i < machine.links.size(); ++i) {
    note(machine.links[i].a, machine.links[i].b, i);
    note(machine.links[i].b, machine.links[i].a, i);
  }
  return result;
}

void append_socket_links(Machine& machine, const std::string& source) {
  const std::vector<std::size_t> packages = nodes_of(machine, NodeKind::package);
  for (std::size_t i = 0; i < packages.size(); ++i)
    for (std::size_t j = i + 1; j < packages.size(); ++j)
      append_link(machine, packages[i], packages[j], LinkKind::socket, {{}, source});
}

std::size_t append_host_bridge(Machine& machine, std::size_t package, const Fact<double>& rate) {
  const std::size_t count = nodes_of(machine, NodeKind::host_bridge).size();
  const std::size_t bridge =
      append_node(machine, NodeKind::host_bridge, fmt::format("bridge{}", count), package);
  append_link(machine, package, bridge, LinkKind::internal, rate);
  return bridge;
}

std::vector<std::size_t> nodes_of(const Machine& machine, NodeKind kind) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < machine.nodes.size(); ++i)
    if (machine.nodes[i].kind == kind) result.push_back(i);
  return result;
}

std::map<PciAddress, std::size_t> nodes_by_address(const Machine& machine) {
  std::map<PciAddress, std::size_t> result;
  for (std::size_t i = 0; i < machine.nodes.size(); ++i)
    if (machine.nodes[i].address) result.emplace(*machine.nodes[i].address, i);
  return result;
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text, int base) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  return parse_number<std::uint64_t>(text, base);
}

std::optional<double> parse_finite(std::string_view text) {
  const std::optional<double> value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<PciAddress> parse_pci_address(std::string_view text) {
  PciAddress address;
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::size_t colon = text.rfind(':', dot);
  if (colon == std::string_view::npos) return {};
  std::string_view bus = text.substr(0, colon);
  if (const std::size_t first = bus.find(':'); first != std::string_view::npos) {
    const auto domain = parse_unsigned(bus.substr(0, first), 16);
    if (!domain || *domain > 0xffffffffU) return {};
    address.domain = static_cast<std::uint32_t>(*domain);
    bus.remove_prefix(first + 1);
  }
  const auto bus_number = parse_unsigned(bus, 16);
  const auto device = parse_unsigned(text.substr(colon + 1, dot - colon - 1), 16);
  const auto function = parse_unsigned(text.substr(dot + 1), 16);
  if (!bus_number || !device || !function) return {};
  if (*bus_number > 0xff || *device > 0x1f || *function > 0x7) return {};
  address.bus = static_cast<std::uint32_t>(*bus_number);
  address.device = static_cast<std::uint32_t>(*device);
  address.function = static_cast<std::uint32_t>(*function);
  return address;
}

std::string format_pci_address(const PciAddress& address) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", address.domain, address.bus, address.device,
                     address.function);
}

std::optional<double> pcie_bytes_per_second(std::string_view speed, std::string_view lanes) {
  const auto transfers = parse_finite(speed.substr(0, speed.find(' ')));
  const auto width = parse_unsigned(lanes);
  if (!transfers || !width || *transfers <= 0 || *transfers > 1000 || *width == 0 || *width > 64)
    return {};
  return *transfers * 1e9 * pcie_code(*transfers) / 8 * static_cast<double>(*width);
}

std::optional<double> megabits_per_second(std::optional<std::uint64_t> megabits) {
  constexpr std::uint64_t kMost = 10'000'000;
  if (!megabits || *megabits == 0 || *megabits > kMost) return {};
  return static_cast<double>(*megabits) * 1e6 / 8;
}

Fact<bool> rdma_by_name(std::string_view card, const std::string& source) {
  for (const std::string_view prefix :
       {"mlx", "ib", "bnxt_re", "irdma", "hfi", "efa", "rdma", "roce"})
    if (card.starts_with(prefix)) return {true, source + ": an RDMA device"};
  return {};
}

const char* name(NodeKind kind) {
  static constexpr std::array<const char*, 9> kNames = {"host",        "package",    "numa_node",
                                                        "host_bridge", "pci_bridge", "gpu",
                                                        "nvswitch",    "nic",        "network"};
  return kNames.at(static_cast<std::size_t>(kind));
}

const char* name(LinkKind kind) {
  static constexpr std::array<const char*, 6> kNames = {"internal", "socket", "pcie",
                                                        "nvlink",   "c2c",    "network"};
  return kNames.at(static_cast<std::size_t>(kind));
}

}  // namespace convoy::topology
