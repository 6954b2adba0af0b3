#include <algorithm>
#include <fstream>
#include <optional>

#include "topology/detect/detect.hpp"
#include "topology/graph/graph_edit.hpp"

namespace convoy::topology {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::optional<double> most_rate(const Node& node, const std::filesystem::path& sysfs) {
  if (!node.address) return {};
  const std::filesystem::path device =
      sysfs / "bus" / "pci" / "devices" / format_pci_address(*node.address);
  return pcie_bytes_per_second(first_line(device / "max_link_speed"),
                               first_line(device / "max_link_width"));
}

// Returns the rate of the first port that is in use: "100 Gb/sec (4X EDR)". A port without a cable
// also reports a rate.
std::optional<double> rdma_rate(const std::filesystem::path& card) {
  for (const char* number : {"1", "2"}) {
    const std::filesystem::path port = card / "ports" / number;
    const std::string state = first_line(port / "state");  // "4: ACTIVE", "1: DOWN"
    if (!state.empty() && state.find("ACTIVE") == std::string::npos) continue;
    const std::string line = first_line(port / "rate");
    const auto gigabits = parse_finite(line.substr(0, line.find(' ')));
    if (gigabits && *gigabits > 0) return *gigabits * 1e9 / 8;
  }
  return {};
}

// Ethernet reports megabits per second. While the link is down, it reports -1 or nothing.
Fact<double> network_rate(const std::string& card, const std::filesystem::path& sysfs) {
  const auto megabits = parse_unsigned(first_line(sysfs / "class" / "net" / card / "speed"));
  if (const auto rate = megabits_per_second(megabits)) return {rate, "sysfs speed"};
  if (const auto rate = rdma_rate(sysfs / "class" / "infiniband" / card))
    return {rate, "sysfs rate"};
  return {{}, "no speed in sysfs"};
}

}  // namespace

void read_sysfs_speeds(Machine& machine, const std::filesystem::path& sysfs) {
  for (Link& link : machine.links) {
    if (link.kind != LinkKind::pcie) continue;
    const auto below = most_rate(machine.nodes[link.b], sysfs);
    const auto above = most_rate(machine.nodes[link.a], sysfs);
    if (!below && !above) {
      link.a_to_b.source +=
          link.a_to_b.known() ? ", the current speed" : ", no max_link_speed in sysfs";
    } else {
      link.a_to_b.value = std::min(below.value_or(*(above ? above : below)),
                                   above.value_or(*(below ? below : above)));
      link.a_to_b.source = "sysfs max_link_speed and max_link_width";
    }
    link.b_to_a = link.a_to_b;
  }
  for (const std::size_t number : nodes_of(machine, NodeKind::nic)) {
    Node& card = machine.nodes[number];
    card.network_bytes_per_second = network_rate(card.name, sysfs);
    if (std::filesystem::exists(sysfs / "class" / "infiniband" / card.name))
      card.rdma = {true, "sysfs class/infiniband"};
  }
}

}  // namespace convoy::topology
