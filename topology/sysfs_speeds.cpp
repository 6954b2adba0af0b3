#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "topology/detect.hpp"
#include "topology/graph_edit.hpp"

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

// Megabits per second that a network card's link has; -1 and nothing where it is down.
std::optional<double> network_rate(const Node& card, const std::filesystem::path& sysfs) {
  const auto megabits = parse_unsigned(first_line(sysfs / "class" / "net" / card.name / "speed"));
  if (!megabits || *megabits == 0 || *megabits > 10'000'000) return {};
  return static_cast<double>(*megabits) * 1e6 / 8;
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
  for (const std::size_t card : nodes_of(machine, NodeKind::nic))
    if (const auto rate = network_rate(machine.nodes[card], sysfs))
      machine.notes.push_back(fmt::format("{} is a network link of {:.3g} GB/s (sysfs speed)",
                                          machine.nodes[card].name, *rate / 1e9));
}

}  // namespace convoy::topology
