#include "topology/read/nvlink.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "topology/graph/graph_edit.hpp"
#include "topology/read/pci_class.hpp"

namespace convoy::topology {
namespace {

bool between(std::uint16_t id, std::uint16_t first, std::uint16_t last) {
  return id >= first && id <= last;
}

// GA102, the chip of GeForce RTX 3090, RTX A6000 and A40, has NVLink 3, but slower than GA100's.
constexpr double kGa102BrickRate = 14.0625e9;

bool is_ga102(const Node& gpu) {
  return gpu.id && gpu.id->vendor == kNvidia && between(gpu.id->device, 0x2200, 0x223f);
}

// Whether a PCI id is that of a chip with NVLink 3 or 4: GA100 or GH100.
bool is_ampere_or_hopper(const Node& gpu) {
  if (!gpu.id || gpu.id->vendor != kNvidia) return false;
  return between(gpu.id->device, 0x20b0, 0x20ff) || between(gpu.id->device, 0x2300, 0x23ff);
}

// Returns the rate of all bricks of such a chip: 12 (GA100) or 18 (GH100) of 25e9.
double most_rate(const Node& gpu) {
  return gpu.id->device < 0x2300 ? 12 * 25e9 : 18 * 25e9;
}

double brick_rate(const Node& gpu) {
  if (!gpu.id || gpu.id->vendor != kNvidia) return 0;
  if (is_ga102(gpu)) return kGa102BrickRate;
  const bool pascal = between(gpu.id->device, 0x15f0, 0x15ff);
  const bool blackwell = between(gpu.id->device, 0x2900, 0x29ff);
  return nvlink_brick_rate(pascal ? 1 : blackwell ? 5 : 2);
}

std::uint32_t bricks(double rate, const Node& gpu) {
  const double brick = brick_rate(gpu);
  if (brick <= 0 || rate < brick) return 1;
  return static_cast<std::uint32_t>(std::lround(std::min(rate / brick, 1000.0)));
}

class MatrixWriter {
 public:
  MatrixWriter(Machine& machine, const NvlinkMatrix& matrix, bool doubled)
      : machine_(machine), matrix_(matrix), doubled_(doubled) {}

  void write() {
    for (std::size_t i = 0; i < matrix_.ends.size(); ++i)
      for (std::size_t j = i + 1; j < matrix_.ends.size(); ++j) write_pair(i, j);
    for (const auto& [gpu, rates] : switched_) write_switched(gpu, rates);
  }

 private:
  struct Both {
    double to = 0;
    double from = 0;
  };

  NodeKind kind(std::size_t end) const { return machine_.nodes[matrix_.ends[end]].kind; }

  bool halved(std::size_t end) const {
    const Node& node = machine_.nodes[matrix_.ends[end]];
    if (node.kind != NodeKind::gpu || !is_ampere_or_hopper(node)) return false;
    double sum = 0;
    for (std::size_t i = 0; i < matrix_.ends.size(); ++i)
      if (matrix_.ends[i] != matrix_.ends[end]) sum += matrix_.rates[end][i];
    return doubled_ || sum > 1.01 * most_rate(node);
  }

  Fact<double> fact(double rate, std::size_t end) const {
    Fact<double> result{rate, matrix_.source};
    if (halved_.at(end)) {
      *result.value /= 2;
      result.source += ", halved: hwloc up to 2.9.0 doubles NVLink 3 and 4";
    }
    return result;
  }

  void write_pair(std::size_t i, std::size_t j) {
    const double to = matrix_.rates[i][j];
    const double from = matrix_.rates[j][i];
    if (matrix_.ends[i] == matrix_.ends[j] || (to <= 0 && from <= 0)) return;
    if (kind(i) != NodeKind::gpu && kind(j) != NodeKind::gpu) return;
    const std::size_t gpu = kind(i) == NodeKind::gpu ? i : j;
    if (!halved_.contains(gpu)) halved_[gpu] = halved(gpu);
    const std::size_t other = gpu == i ? j : i;
    if (kind(other) == NodeKind::nvswitch) {
      switched_[gpu].to += gpu == i ? to : from;
      switched_[gpu].from += gpu == i ? from : to;
      return;
    }
    write_link(gpu, matrix_.ends[other], gpu == i ? Both{to, from} : Both{from, to});
  }

  void write_switched(std::size_t gpu, const Both& rates) {
    const auto is_switch = [&](std::size_t node) {
      return machine_.nodes[node].kind == NodeKind::nvswitch;
    };
    const auto first = std::find_if(matrix_.ends.begin(), matrix_.ends.end(), is_switch);
    write_link(gpu, *first, rates);
  }

  void write_link(std::size_t gpu, std::size_t other, const Both& rates) {
    const Fact<double> to = fact(rates.to, gpu);
    const std::size_t node = matrix_.ends[gpu];
    const std::size_t link = append_link(
        machine_, node, other, LinkKind::nvlink, to,
        bricks(std::max(*to.value, *fact(rates.from, gpu).value), machine_.nodes[node]));
    machine_.links[link].b_to_a = fact(rates.from, gpu);
  }

  Machine& machine_;
  const NvlinkMatrix& matrix_;
  bool doubled_;
  std::map<std::size_t, bool> halved_;
  std::map<std::size_t, Both> switched_;
};

// Adds a way of two stretches, of unknown or known rates, to the ways that are there already.
void join(NvlinkRate& rate, const Fact<double>& first, const Fact<double>& second) {
  rate.connected = true;
  if (!first.known() || !second.known()) {
    rate.known = false;
    return;
  }
  rate.bytes_per_second += std::min(*first.value, *second.value);
}

struct SwitchPort {
  std::size_t gpu = 0;  // index among the GPUs
  Fact<double> up;
  Fact<double> down;
};

}  // namespace

void append_nvlinks(Machine& machine, const NvlinkMatrix& matrix, bool doubled) {
  MatrixWriter(machine, matrix, doubled).write();
}

std::vector<std::vector<NvlinkRate>> nvlink_closure(const Machine& machine, std::size_t most) {
  std::map<std::size_t, std::size_t> number;
  for (const std::size_t gpu : nodes_of(machine, NodeKind::gpu))
    if (number.size() < most) number.emplace(gpu, number.size());
  std::vector<std::vector<NvlinkRate>> rates(number.size(), std::vector<NvlinkRate>(number.size()));
  std::map<std::size_t, std::vector<SwitchPort>> ports;
  for (const Link& link : machine.links) {
    if (link.kind != LinkKind::nvlink) continue;
    const auto a = number.find(link.a);
    const auto b = number.find(link.b);
    if (a != number.end() && b != number.end()) {
      join(rates[a->second][b->second], link.a_to_b, link.a_to_b);
      join(rates[b->second][a->second], link.b_to_a, link.b_to_a);
    } else if (a != number.end() && machine.nodes[link.b].kind == NodeKind::nvswitch) {
      ports[link.b].push_back({a->second, link.a_to_b, link.b_to_a});
    } else if (b != number.end() && machine.nodes[link.a].kind == NodeKind::nvswitch) {
      ports[link.a].push_back({b->second, link.b_to_a, link.a_to_b});
    }
  }
  for (const auto& [node, of_switch] : ports)
    for (const SwitchPort& from : of_switch)
      for (const SwitchPort& to : of_switch)
        if (from.gpu != to.gpu) join(rates[from.gpu][to.gpu], from.up, to.down);
  return rates;
}

double nvml_brick_rate(const Node& gpu, unsigned version) {
  if (version == 1) return nvlink_brick_rate(1);
  if (is_ga102(gpu)) return kGa102BrickRate;
  return nvlink_brick_rate(version >= 7 && !is_ampere_or_hopper(gpu) ? 5 : 2);
}

// Compute capability 6.x has NVLink 1. Up to 9.x have NVLink 2 to 4, all of one rate except
// GA102's. 10 and above have NVLink 5.
double architecture_brick_rate(unsigned architecture) {
  if (architecture < 60) return 0;
  if (architecture < 70) return nvlink_brick_rate(1);
  if (architecture == 86) return kGa102BrickRate;
  return nvlink_brick_rate(architecture < 100 ? 2 : 5);
}

double nvlink_brick_rate(unsigned generation) {
  if (generation == 1) return 20e9;
  if (generation >= 2 && generation <= 4) return 25e9;
  return generation == 5 ? 50e9 : 0;
}

}  // namespace convoy::topology
