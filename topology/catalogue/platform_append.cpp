#include <fmt/format.h>

#include <algorithm>

#include "topology/catalogue/platform_host.hpp"

namespace convoy::topology {
namespace {

std::size_t add_node(Machine& machine, Node node) {
  machine.nodes.push_back(std::move(node));
  return machine.nodes.size() - 1;
}

Node make_node(NodeKind kind, std::string name, std::uint32_t host,
               std::optional<std::size_t> parent) {
  Node node;
  node.kind = kind;
  node.name = std::move(name);
  node.host = host;
  node.parent = parent;
  return node;
}

void add_link(Machine& machine, std::size_t a, std::size_t b, LinkKind kind,
              const Fact<double>& rate, std::uint32_t count = 1) {
  machine.links.push_back({a, b, kind, count, rate, rate});
}

}  // namespace

std::vector<Fact<double>> PlatformHost::card_rates() const {
  std::vector<Fact<double>> rates;
  for (const Card& card : cards_) rates.push_back(card.rate);
  return rates;
}

void PlatformHost::append(Machine& machine, std::uint32_t host, const PlatformNetwork* network) {
  package_nodes_.clear();
  bridge_nodes_.clear();
  gpu_nodes_.clear();
  const std::size_t root =
      add_node(machine, make_node(NodeKind::host, fmt::format("host{}", host), host, std::nullopt));
  if (peers_over_root_) machine.nodes[root].peers_over_root = {true, peer_access_source_};
  if (gpus_per_process_ > 0) machine.nodes[root].gpus_per_process = {gpus_per_process_, source_};
  append_packages(machine, host, root);
  append_bridges(machine, host);
  append_gpus(machine, host);
  append_nvlink(machine, host);
  append_cards(machine, host, network);
  append_peer_access(machine);
}

void PlatformHost::append_packages(Machine& machine, std::uint32_t host, std::size_t root) {
  for (std::size_t i = 0; i < packages_.size(); ++i) {
    Node package = make_node(NodeKind::package, fmt::format("package{}", i), host, root);
    package.model = processor_;
    package.cores = {packages_[i].cores, source_};
    package_nodes_.push_back(add_node(machine, std::move(package)));
    Node memory =
        make_node(NodeKind::numa_node, fmt::format("numa{}", i), host, package_nodes_.back());
    memory.cores = {packages_[i].cores, source_};
    if (packages_[i].memory_bytes > 0)
      memory.memory_bytes = {static_cast<std::uint64_t>(packages_[i].memory_bytes), source_};
    memory.memory_bytes_per_second = memory_rate_;
    const std::size_t node = add_node(machine, std::move(memory));
    // The rate of the memory itself is stored in the node, not in the link to it.
    add_link(machine, package_nodes_.back(), node, LinkKind::internal, {});
    for (std::size_t other = 0; other < i; ++other)
      add_link(machine, package_nodes_[other], package_nodes_[i], LinkKind::socket, socket_);
  }
}

void PlatformHost::append_bridges(Machine& machine, std::uint32_t host) {
  std::size_t roots = 0;
  std::size_t switches = 0;
  for (const Bridge& it : bridges_) {
    const std::size_t parent = (it.is_root ? package_nodes_ : bridge_nodes_)[it.parent];
    const NodeKind kind = it.is_root ? NodeKind::host_bridge : NodeKind::pci_bridge;
    std::string name =
        it.is_root ? fmt::format("bridge{}", roots++) : fmt::format("switch{}", switches++);
    bridge_nodes_.push_back(add_node(machine, make_node(kind, std::move(name), host, parent)));
    add_link(machine, parent, bridge_nodes_.back(),
             it.is_root ? LinkKind::internal : LinkKind::pcie, it.uplink);
  }
}

void PlatformHost::append_gpus(Machine& machine, std::uint32_t host) {
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    Node gpu =
        make_node(NodeKind::gpu, fmt::format("gpu{}", i), host, bridge_nodes_[gpus_[i].bridge]);
    gpu.model = device_->name;
    if (!device_->ids.empty()) gpu.id = device_->ids.front();
    gpu.memory_bytes = {static_cast<std::uint64_t>(device_->memory_bytes.value_or(0)),
                        device_->memory_bytes.source};
    gpu.memory_bytes_per_second = device_->memory_bytes_per_second;
    gpu_nodes_.push_back(add_node(machine, std::move(gpu)));
    add_link(machine, bridge_nodes_[gpus_[i].bridge], gpu_nodes_.back(), LinkKind::pcie, pcie_);
    if (c2c_.known())
      add_link(machine, gpu_nodes_.back(), package_nodes_[gpus_[i].package], LinkKind::c2c, c2c_);
  }
}

void PlatformHost::append_nvlink(Machine& machine, std::uint32_t host) {
  const auto rate = [&](std::uint32_t bricks) {
    Fact<double> fact = device_->nvlink_bytes_per_second;
    if (fact.known()) *fact.value *= bricks;
    return fact;
  };
  for (const NvlinkEdge& edge : edges_)
    add_link(machine, gpu_nodes_[edge.from], gpu_nodes_[edge.to], LinkKind::nvlink,
             rate(edge.bricks), edge.bricks);
  if (switched_bricks_ == 0) return;
  const std::size_t middle =
      add_node(machine, make_node(NodeKind::nvswitch, "nvswitch", host, std::nullopt));
  for (const std::size_t gpu : gpu_nodes_)
    add_link(machine, gpu, middle, LinkKind::nvlink, rate(switched_bricks_), switched_bricks_);
}

void PlatformHost::append_cards(Machine& machine, std::uint32_t host,
                                const PlatformNetwork* network) {
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    const Card& card = cards_[i];
    const std::size_t parent = bridge_nodes_[card.bridge];
    const std::size_t node = add_node(machine, make_node(NodeKind::nic, card.name, host, parent));
    machine.nodes[node].network_bytes_per_second = card.rate;
    machine.nodes[node].rdma = card.rdma;
    machine.nodes[node].network_step_seconds = card.step_seconds;
    machine.nodes[node].in_order = card.in_order;
    add_link(machine, parent, node, LinkKind::pcie, pcie_);
    if (network != nullptr)
      add_link(machine, node, network->leaf(host, i), LinkKind::network, card.rate);
  }
}

bool PlatformHost::has_nvlink(std::size_t from, std::size_t to) const {
  if (switched_bricks_ > 0) return true;
  return std::any_of(edges_.begin(), edges_.end(), [&](const NvlinkEdge& edge) {
    return (edge.from == from && edge.to == to) || (edge.from == to && edge.to == from);
  });
}

void PlatformHost::append_peer_access(Machine& machine) {
  if (peer_access_ == "unknown") return;
  for (std::size_t from = 0; from < gpus_.size(); ++from)
    for (std::size_t to = 0; to < gpus_.size(); ++to) {
      if (from == to) continue;
      const bool near = gpus_[from].package == gpus_[to].package || has_nvlink(from, to);
      const bool possible = peer_access_ == "all" || (peer_access_ == "package" && near);
      machine.peer_access.push_back(
          {gpu_nodes_[from], gpu_nodes_[to], {possible, peer_access_source_}});
    }
}

}  // namespace convoy::topology
