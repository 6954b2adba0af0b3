#include "core/simulate/machine/joined_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {
namespace {

class HostJoiner {
 public:
  HostJoiner(const SimulatedCluster& one, plan::Cluster cluster,
             const std::vector<std::vector<LinkRates>>& rates)
      : one_(one), cluster_(std::move(cluster)), rates_(rates) {
    CONVOY_CHECK_EQ(rates.size(), cluster_.hosts);
  }

  SimulatedCluster run(std::vector<SimulatedProcessor> processors) {
    machine_.devices = one_.machine.devices;
    for (std::uint32_t host = 0; host < cluster_.hosts; ++host) add_host(host);
    for (const plan::Place& place : cluster_.places) add_place(place);
    add_network();
    add_paths();
    for (SimulatedProcessor& processor : processors)
      for (SimulatedProcessor::Host& it : processor.hosts) {
        it.sends = sending_link(it.host);
        it.receives = receiving_link(it.host);
      }
    machine_.processors = std::move(processors);
    return {std::move(cluster_), std::move(machine_)};
  }

 private:
  std::uint32_t links_of_one() const {
    return static_cast<std::uint32_t>(one_.machine.links.size());
  }

  void add_host(std::uint32_t host) {
    machine_.hosts.push_back(one_.machine.hosts.front());
    for (SimulatedLink link : one_.machine.links) {
      link.name = fmt::format("host{}/{}", host, link.name);
      machine_.links.push_back(std::move(link));
    }
  }

  // The place of `one` that this place corresponds to: the device with the same position, or the
  // memory.
  std::uint32_t model_of(const plan::Place& place) const {
    std::uint32_t device = 0;
    if (place.kind == CONVOY_PLACE_DEVICE)
      for (std::uint32_t p = 0; &cluster_.places[p] != &place; ++p)
        device += cluster_.places[p].host == place.host ? 1 : 0;
    const auto& places = one_.cluster.places;
    for (std::uint32_t p = 0; p < places.size(); ++p) {
      if (places[p].kind != place.kind) continue;
      if (place.kind != CONVOY_PLACE_DEVICE || device == 0) return p;
      --device;
    }
    CONVOY_CHECK(false && "a host has more devices than the one it is like");
    return 0;
  }

  void add_place(const plan::Place& place) {
    const std::uint32_t model = model_of(place);
    SimulatedPlace it = one_.machine.places[model];
    it.host = place.host;
    if (it.memory != kNone) it.memory += place.host * links_of_one();
    if (it.board != kNone) it.board += place.host * boards_of_one();
    models_.push_back(model);
    machine_.places.push_back(it);
  }

  std::uint32_t boards_of_one() const {
    std::uint32_t most = 0;
    for (const SimulatedPlace& place : one_.machine.places)
      if (place.board != kNone) most = std::max(most, place.board + 1);
    return most;
  }

  void add_network_link(std::string name, double rate, bool receives) {
    SimulatedLink link{std::move(name), rate};
    link.receives = receives;
    link.wire = Wire::kNetwork;
    link.raw_bytes_per_second = rate;
    machine_.links.push_back(std::move(link));
  }

  // Adds a link with the rate that both directions of another link reach together.
  void add_shared_link(std::string name, double rate) {
    machine_.links.push_back({std::move(name), rate});
  }

  // The mean of the two hosts' values, because both measure the same rate.
  double both_ways(std::uint32_t a, std::uint32_t b) const {
    return (rates_[a][b].both_ways + rates_[b][a].both_ways) / 2;
  }

  // Adds three links per host, for what it sends, what it receives and both together, and then
  // three links per pair of hosts.
  void add_network() {
    first_network_link_ = static_cast<std::uint32_t>(machine_.links.size());
    const std::uint32_t hosts = cluster_.hosts;
    for (std::uint32_t host = 0; host < hosts; ++host) {
      double sends = 0;
      double receives = 0;
      double both = 0;
      for (std::uint32_t other = 0; other < hosts; ++other) {
        sends = std::max(sends, rates_[host][other].alone);
        receives = std::max(receives, rates_[other][host].alone);
        both = std::max(both, both_ways(host, other));
      }
      add_network_link(fmt::format("host{} -> network", host), sends, false);
      add_network_link(fmt::format("network -> host{}", host), receives, true);
      add_shared_link(fmt::format("host{} <-> network", host), both);
    }
    for (std::uint32_t a = 0; a < hosts; ++a)
      for (std::uint32_t b = 0; b < a; ++b) {
        add_network_link(fmt::format("host{} -> host{}", a, b), rates_[a][b].alone, false);
        add_network_link(fmt::format("host{} -> host{}", b, a), rates_[b][a].alone, false);
        add_shared_link(fmt::format("host{} <-> host{}", b, a), both_ways(a, b));
      }
  }

  std::uint32_t sending_link(std::uint32_t host) const { return first_network_link_ + 3 * host; }
  std::uint32_t receiving_link(std::uint32_t host) const { return sending_link(host) + 1; }

  void add_paths() {
    std::vector<std::uint32_t> host_of;
    for (const plan::Place& place : cluster_.places) host_of.push_back(place.host);
    machine_.paths = [host_of, models = models_, inside = one_.machine.paths,
                      stride = links_of_one(), first = first_network_link_,
                      hosts = cluster_.hosts](std::uint32_t from, std::uint32_t to) {
      const std::uint32_t a = host_of.at(from);
      const std::uint32_t b = host_of.at(to);
      if (a != b) {
        const std::uint32_t more = std::max(a, b);
        const std::uint32_t pair = first + 3 * (hosts + more * (more - 1) / 2 + std::min(a, b));
        return Path{PathKind::kNetwork,
                    {first + 3 * a, first + 3 * a + 2, pair + (a > b ? 0 : 1), pair + 2,
                     first + 3 * b + 1, first + 3 * b + 2},
                    {}};
      }
      Path path = inside(models.at(from), models.at(to));
      for (std::uint32_t& link : path.links) link += a * stride;
      return path;
    };
    if (one_.machine.near_memory)
      machine_.near_memory = [models = models_, inside = one_.machine.near_memory](
                                 std::uint32_t device) { return inside(models.at(device)); };
    if (!one_.machine.reaches) return;
    machine_.reaches = [host_of, models = models_, inside = one_.machine.reaches](
                           std::uint32_t from, std::uint32_t to) {
      return host_of.at(from) == host_of.at(to) && inside(models.at(from), models.at(to));
    };
    add_host_places();
  }

  void add_host_places() {
    machine_.host_places.assign(cluster_.hosts, kNone);
    for (std::uint32_t p = 0; p < cluster_.places.size(); ++p)
      if (cluster_.places[p].kind == CONVOY_PLACE_HOST)
        machine_.host_places[cluster_.places[p].host] = p;
  }

  const SimulatedCluster& one_;
  plan::Cluster cluster_;
  const std::vector<std::vector<LinkRates>>& rates_;
  SimulatedMachine machine_;
  std::vector<std::uint32_t> models_;  // per place: the place of `one` that it is like
  std::uint32_t first_network_link_ = 0;
};

}  // namespace

SimulatedCluster join_hosts(const SimulatedCluster& one, plan::Cluster cluster,
                            const std::vector<std::vector<LinkRates>>& rates,
                            std::vector<SimulatedProcessor> processors) {
  return HostJoiner(one, std::move(cluster), rates).run(std::move(processors));
}

}  // namespace convoy::simulate
