#include "core/simulate/collectives/single_ring.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>

#include "core/simulate/collectives/ring_weight.hpp"

namespace convoy::simulate {
namespace {

using Places = std::vector<std::uint32_t>;

// How often data go round the ring: once to reduce, and once to hand out the result.
double rounds(plan::OperationKind kind) {
  return kind == plan::OperationKind::kAllReduce ? 2 : 1;
}

// Searches an order of a few devices in which all neighbours have a direct link, also the last and
// the first. It searches depth first and keeps the given order where it can.
class DirectRing {
 public:
  using IsDirect = std::function<bool(std::uint32_t, std::uint32_t)>;
  DirectRing(Places places, IsDirect is_direct)
      : places_(std::move(places)), is_direct_(std::move(is_direct)) {}

  // Returns the given order if there is no such ring.
  Places find() {
    static_cast<void>(extend(1));  // leaves the order unchanged if it finds no ring
    return places_;
  }

 private:
  bool extend(std::size_t at) {
    if (at == places_.size()) return is_direct_(places_.back(), places_.front());
    for (std::size_t next = at; next < places_.size(); ++next) {
      if (!is_direct_(places_[at - 1], places_[next])) continue;
      std::swap(places_[at], places_[next]);
      if (extend(at + 1)) return true;
      std::swap(places_[at], places_[next]);
    }
    return false;
  }

  Places places_;
  IsDirect is_direct_;
};

}  // namespace

std::vector<std::uint32_t> SingleRing::order(const Places& places) {
  constexpr std::size_t kMostInSearch = 8;  // 7! orders
  Places sorted = places;
  const auto host = [&](std::uint32_t place) { return machine_.places[place].host; };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return host(a) < host(b); });
  if (!options_.software.rings_follow_links || host(sorted.front()) != host(sorted.back()) ||
      sorted.size() > kMostInSearch)
    return sorted;
  const auto is_direct = [&](std::uint32_t from, std::uint32_t to) {
    return routes_.path(from, to).kind == PathKind::kNvlink;
  };
  return DirectRing(sorted, is_direct).find();
}

double SingleRing::hop_seconds(std::uint32_t from, std::uint32_t to) {
  const SimulatedHost& host = machine_.hosts[machine_.places[from].host];
  switch (routes_.path(from, to).kind) {
    case PathKind::kNvlink:
      return host.nvlink_hop_seconds;
    case PathKind::kNetwork:
      return host.network_hop_seconds;
    default:
      return host.pcie_hop_seconds;
  }
}

// The time of one round. In a ring, all devices step together, at the pace of the slowest hop. In a
// tree, a chain inside each host comes before the way up.
double SingleRing::step_seconds(const Ring& ring) {
  double slowest = 0;
  double slowest_local = 0;
  std::size_t hosts = 1;
  for (std::size_t i = 0; i < ring.places.size(); ++i) {
    const std::uint32_t from = ring.places[i];
    const std::uint32_t to = ring.places[(i + 1) % ring.places.size()];
    const double hop = hop_seconds(from, to);
    slowest = std::max(slowest, hop);
    if (machine_.places[from].host == machine_.places[to].host)
      slowest_local = std::max(slowest_local, hop);
    else if (i + 1 < ring.places.size())
      ++hosts;
  }
  const auto devices = static_cast<double>(ring.places.size());
  const double in_ring = (devices - 1) * slowest;
  if (hosts == 1) return in_ring;
  const double local = std::max(1.0, devices / static_cast<double>(hosts)) - 1;
  const auto levels = static_cast<double>(std::bit_width(hosts - 1));
  return std::min(in_ring, local * slowest_local + levels * slowest);
}

SingleRing::Ring& SingleRing::ring(const Places& places) {
  const auto [it, inserted] = rings_.try_emplace(places);
  Ring& ring = it->second;
  if (!inserted) return ring;
  ring.places = order(places);
  ring.seconds = step_seconds(ring);
  ring.group = routes_.add_group(places);
  return ring;
}

CostedTask SingleRing::task(plan::OperationKind kind, const Places& places, double bytes) {
  CostedTask task;
  task.activity = Activity::kCollective;
  const SimulatedDevice& device = machine_.devices[machine_.places[places.front()].device];
  task.seconds = device.collective_seconds;
  task.limit = std::numeric_limits<double>::infinity();
  task.busy_limit = task.limit;
  if (places.size() == 1) return task;
  Ring& ring = this->ring(places);
  task.seconds += rounds(kind) * ring.seconds;
  if (options_.input.images > 0)
    task.seconds +=
        options_.software.decoding_collective_seconds * static_cast<double>(places.size());
  task.bytes = bytes;
  task.group = ring.group;
  const double weight = ring_weight(kind, static_cast<double>(places.size()));
  const auto [it, inserted] = ring.routes.try_emplace(weight);
  if (inserted) {
    RouteSum sum;
    for (std::size_t i = 0; i < places.size(); ++i)
      sum.add(routes_.path(ring.places[i], ring.places[(i + 1) % places.size()]), weight);
    it->second = routes_.add(sum);
  }
  task.route = it->second;
  task.busy_limit = device.collective_progress * routes_.capacity(task.route);
  return task;
}

}  // namespace convoy::simulate
