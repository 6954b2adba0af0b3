#include "core/simulate/machine/machine_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "core/base/error.hpp"
#include "core/simulate/machine/host_memories.hpp"
#include "core/simulate/machine/machine_links.hpp"
#include "core/simulate/machine/place_nodes.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {
namespace {

using topology::NodeKind;
using topology::RouteKind;

PathKind path_kind(RouteKind kind) {
  if (kind == RouteKind::same_node) return PathKind::kLocal;
  if (kind == RouteKind::nvlink) return PathKind::kNvlink;
  return kind == RouteKind::network ? PathKind::kNetwork : PathKind::kPcie;
}

class GpuClusterBuilder {
 public:
  GpuClusterBuilder(const topology::Machine& machine, std::uint32_t devices_per_host,
                    const MachineConstants& constants, const std::vector<std::uint32_t>& order)
      : constants_(constants),
        order_(order),
        devices_per_host_(devices_per_host),
        places_(std::make_shared<PlaceNodes>(machine)) {}

  SimulatedCluster run() {
    machine_.links = simulated_links(graph(), [this](std::uint32_t host) -> const SimulatedHost& {
      return constants_.host(host);
    });
    machine_.devices = constants_.devices;
    for (const topology::Node& node : graph().nodes)
      cluster_.hosts = std::max(cluster_.hosts, node.host + 1);
    for (std::uint32_t host = 0; host < cluster_.hosts; ++host) add_devices(host);
    for (std::uint32_t host = 0; host < cluster_.hosts; ++host) add_host(host);
    check_network();
    set_access();
    add_routes();
    machine_.network_reduces = network_reduces();
    return {std::move(cluster_), std::move(machine_)};
  }

 private:
  const topology::Machine& graph() const { return places_->graph; }

  std::vector<std::size_t> nodes_of(std::uint32_t host, NodeKind kind) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < graph().nodes.size(); ++i)
      if (graph().nodes[i].host == host && graph().nodes[i].kind == kind) found.push_back(i);
    return found;
  }

  void add_devices(std::uint32_t host) {
    const std::vector<std::size_t> gpus = nodes_of(host, NodeKind::gpu);
    if (gpus.size() < devices_per_host_)
      fail(
          ExitCode::kUsage,
          "{} GPUs asked for, but {} has {} (per host); ask for fewer with --num_gpus, or for more "
          "--hosts",
          devices_per_host_, graph().name, gpus.size());
    for (std::uint32_t turn = 0; turn < devices_per_host_; ++turn) {
      const std::uint32_t i = number_of(turn, gpus.size());
      const auto place = static_cast<std::uint32_t>(cluster_.places.size());
      const topology::Node& gpu = graph().nodes[gpus[i]];
      const std::uint32_t near = cluster_.hosts * devices_per_host_ + host;
      cluster_.places.push_back(
          {CONVOY_PLACE_DEVICE, host, place, near, fmt::format("cuda:{}", place), {}});
      cluster_.replica_place.push_back(place);
      const std::uint32_t kind = constants_.device_of(gpu);
      std::uint64_t memory = constants_.devices.at(kind).memory_bytes;
      if (memory == 0) memory = gpu.memory_bytes.value_or(0);
      machine_.places.push_back({host, kind, board_of(gpus, i, kind), kNone, memory});
      places_->nodes.push_back({gpus[i]});
    }
  }

  // The number of the GPU in this position.
  std::uint32_t number_of(std::uint32_t turn, std::size_t gpus) const {
    if (order_.empty()) return turn;
    const std::uint32_t number = order_.at(turn);
    if (number >= gpus)
      fail(ExitCode::kUsage, "GPU {} asked for, but {} has {} (per host), from 0 on", number,
           graph().name, gpus);
    return number;
  }

  // The board of a GPU: the GPUs behind one switch, if they are as many as a board has. If a
  // virtual machine hides the switches, neighbours by number share a board.
  std::uint32_t board_of(const std::vector<std::size_t>& gpus, std::uint32_t index,
                         std::uint32_t kind) {
    const std::size_t size = constants_.devices[kind].board_rates.size();
    if (size < 2) return kNone;
    const auto parent = graph().nodes[gpus[index]].parent;
    const auto siblings = std::count_if(gpus.begin(), gpus.end(), [&](std::size_t gpu) {
      return graph().nodes[gpu].parent == parent;
    });
    const bool switched = parent && static_cast<std::size_t>(siblings) == size &&
                          graph().nodes[*parent].kind == NodeKind::pci_bridge;
    const std::size_t key = switched ? *parent : graph().nodes.size() + gpus[index / size * size];
    const auto next = static_cast<std::uint32_t>(boards_.size());
    return boards_.try_emplace(key, next).first->second;
  }

  void add_host(std::uint32_t host) {
    const std::vector<std::size_t> memories = memory_nodes(graph(), host);
    if (memories.empty())
      fail(ExitCode::kUsage,
           "{}: host {} has neither NUMA nodes nor packages, where the data of "
           "its GPUs could pass",
           graph().name, host);
    const SimulatedHost& constants = constants_.host(host);
    const double rate = memory_rate(graph(), memories, constants.memory_bytes_per_second);
    std::uint64_t bytes = 0;
    for (const std::size_t node : memories) bytes += graph().nodes[node].memory_bytes.value_or(0);
    cluster_.places.push_back(
        {CONVOY_PLACE_HOST, host, CONVOY_NONE, CONVOY_NONE, fmt::format("host:{}", host), {}});
    machine_.places.push_back({host, kNone, kNone,
                               static_cast<std::uint32_t>(machine_.links.size()),
                               bytes > 0 ? bytes : constants.memory_bytes, false,
                               1 + std::ranges::max(packages_of(graph(), memories))});
    machine_.links.push_back({fmt::format("memory of host:{}", host), rate});
    machine_.hosts.push_back(constants);
    machine_.host_places.push_back(static_cast<std::uint32_t>(machine_.places.size() - 1));
    places_->nodes.push_back(memories);
  }

  void check_network() {
    for (std::uint32_t host = 1; host < cluster_.hosts; ++host) {
      const std::uint32_t first = cluster_.hosts * devices_per_host_;
      if (places_->find(first, first + host).kind == RouteKind::network) continue;
      fail(
          ExitCode::kUsage,
          "{} has {} hosts, but no network leads from host 0 to host {}: add a network card to the "
          "machine's description",
          graph().name, cluster_.hosts, host);
    }
  }

  bool network_reduces() const {
    bool any = false;
    bool has_rdma = false;  // SHARP is InfiniBand's
    for (const topology::Node& node : graph().nodes) {
      has_rdma = has_rdma || node.rdma.value_or(false);
      if (node.kind != NodeKind::network) continue;
      if (!node.reduces) return false;
      any = true;
    }
    return any && has_rdma;
  }

  void set_access() {
    const std::size_t count = cluster_.places.size();
    cluster_.access.assign(count, std::vector<bool>(count, false));
    std::map<std::pair<std::size_t, std::size_t>, bool> known;
    for (const topology::Link& link : graph().links)
      if (link.kind != topology::LinkKind::pcie) linked_.insert({link.a, link.b});
    for (const topology::PeerAccess& it : graph().peer_access)
      if (it.possible.known()) known[{it.from, it.to}] = *it.possible.value;
    for (std::uint32_t p = 0; p < count; ++p) {
      cluster_.access[p][p] = true;
      if (p >= cluster_.replicas()) continue;
      cluster_.access[p][cluster_.places[p].near_place] = true;
      const std::uint32_t first = p / devices_per_host_ * devices_per_host_;
      for (std::uint32_t q = first; q < first + devices_per_host_; ++q) {
        if (p == q) continue;
        const auto fact = known.find({places_->nodes[p].front(), places_->nodes[q].front()});
        cluster_.access[p][q] = fact != known.end() ? fact->second : likely_access(p, q);
      }
    }
  }

  // Devices of which no vendor is known count as those of the others.
  bool have_one_vendor() const {
    std::set<std::uint16_t> vendors;
    for (std::uint32_t p = 0; p < cluster_.replicas(); ++p)
      if (const auto& id = graph().nodes[places_->nodes[p].front()].id) vendors.insert(id->vendor);
    return vendors.size() < 2;
  }

  // Devices that have only PCI Express links and the same nodes before them have the same kind of
  // route, so it is searched once.
  RouteKind kind_between(std::uint32_t from, std::uint32_t to) {
    const auto key = [&](std::uint32_t place) {
      const std::size_t gpu = places_->nodes[place].front();
      const topology::Node& node = graph().nodes[gpu];
      return linked_.contains(gpu) || !node.parent ? gpu : *node.parent;
    };
    const auto [known, is_new] = kinds_.try_emplace({key(from), key(to)});
    if (is_new) known->second = places_->find(from, to).kind;
    return known->second;
  }

  bool likely_access(std::uint32_t from, std::uint32_t to) {
    const RouteKind kind = kind_between(from, to);
    if (kind == RouteKind::nvlink) return true;
    return !graph().virtual_machine.value_or(false) &&
           (kind == RouteKind::pcie_switch || kind == RouteKind::host_bridge);
  }

  void add_routes() {
    cluster_.device_collectives = have_one_vendor();
    if (!cluster_.device_collectives)
      cluster_.no_device_collectives =
          "the devices are of several vendors, whose collective libraries do not work together";
    machine_.reaches =
        [access = std::make_shared<const std::vector<std::vector<bool>>>(cluster_.access)](
            std::uint32_t from, std::uint32_t to) { return bool{(*access)[from][to]}; };
    machine_.near_memory = [places = places_, memories = machine_.host_places,
                            devices = devices_per_host_](std::uint32_t device) {
      return places->near_memory(device, memories.at(device / devices));
    };
    machine_.has_near_card = [places = places_](std::uint32_t device) {
      return places->has_near_card(device);
    };
    cluster_.route = [places = places_](std::uint32_t from, std::uint32_t to) {
      return places->route(from, to);
    };
    cluster_.groups = replica_groups(graph(), places_->nodes, cluster_.replica_place);
    machine_.paths = [places = places_](std::uint32_t from, std::uint32_t to) {
      const std::vector<topology::Route> found = places->find_all(from, to);
      Path path;
      for (const topology::Route& route : found) {
        path.kind = path_kind(route.kind);
        path.over_root = route.kind == RouteKind::host_bridge;
        for (const topology::Hop& hop : route.hops) path.links.push_back(simulated_link(hop));
      }
      if (found.size() > 1)
        path.shares.assign(path.links.size(), 1.0 / static_cast<double>(found.size()));
      return path;
    };
  }

  const MachineConstants& constants_;
  const std::vector<std::uint32_t>& order_;
  std::uint32_t devices_per_host_;
  std::shared_ptr<PlaceNodes> places_;
  std::map<std::size_t, std::uint32_t> boards_;
  std::set<std::size_t> linked_;  // ends of links that are not PCI Express
  std::map<std::pair<std::size_t, std::size_t>, RouteKind> kinds_;
  plan::Cluster cluster_;
  SimulatedMachine machine_;
};

}  // namespace

SimulatedCluster make_gpu_cluster(const topology::Machine& machine, std::uint32_t devices_per_host,
                                  const MachineConstants& constants,
                                  const std::vector<std::uint32_t>& order) {
  return GpuClusterBuilder(machine, devices_per_host, constants, order).run();
}

// The memory that single layers need while they compute: 3 to 9 MB in lenet, resnet20, googlenet
// and alexnet.
constexpr std::uint64_t kLayerScratch = std::uint64_t{8} << 20;

SimulatedCluster make_cpu_cluster(std::uint32_t devices, const SimulatedDevice& device,
                                  const SimulatedHost& host) {
  SimulatedCluster result;
  result.cluster = plan::make_single_host(devices, true, "cpu");
  SimulatedMachine& machine = result.machine;
  machine.devices.push_back(device);
  machine.devices.front().one_engine = true;
  machine.devices.front().reserved_bytes = kLayerScratch;
  machine.hosts.push_back(host);
  machine.links.push_back({"memory of host:0", host.memory_bytes_per_second});
  // Devices on one host share the power and the memory of its processors.
  for (std::uint32_t d = 0; d < devices; ++d) machine.places.push_back({0, 0, 0, 0, 0, true});
  machine.places.push_back({0, kNone, kNone, 0, host.memory_bytes});
  machine.paths = [](std::uint32_t, std::uint32_t) { return Path{}; };
  return result;
}

}  // namespace convoy::simulate
