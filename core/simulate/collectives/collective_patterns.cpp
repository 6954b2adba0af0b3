#include "core/simulate/collectives/collective_patterns.hpp"

#include <algorithm>

#include "core/simulate/collectives/double_tree.hpp"
#include "core/simulate/collectives/group_orders.hpp"
#include "core/simulate/collectives/ring_weight.hpp"

namespace convoy::simulate {
namespace {

using Edges = std::vector<PatternEdge>;

// Builds the patterns from the orders of devices for every host and channel. On one host, the
// orders are closed; with several hosts, they lead from one network card to another.
class PatternBuilder {
 public:
  PatternBuilder(CollectiveGroup& group, const CollectiveLibrary& library)
      : group_(group), library_(library), found_(find_group_orders(group)) {}

  CollectivePattern ring(plan::OperationKind kind) const {
    const auto n = static_cast<double>(group_.devices());
    const auto hosts = static_cast<double>(group_.hosts().size());
    const double rounds = kind == plan::OperationKind::kAllReduce ? 2 : 1;
    CollectivePattern pattern = start(CollectiveAlgorithm::kRing);
    pattern.is_all_reduce = kind == plan::OperationKind::kAllReduce;
    pattern.network_steps = hosts > 1 ? rounds * (hosts - 1) : 0;
    pattern.local_steps = rounds * (n - 1) - pattern.network_steps;
    pattern.passes = ring_weight(kind, n);
    if (is_chain(kind) && have_one_order()) pattern.local_steps = 1;
    Edges edges;
    const double share = pattern.passes / static_cast<double>(channels());
    for (std::size_t channel = 0; channel < channels(); ++channel) add_ring(edges, channel, share);
    std::erase_if(edges, [&](const PatternEdge& edge) { return is_left_out(kind, edge); });
    return finish(pattern, edges);
  }

  CollectivePattern tree() const {
    const DoubleTree hosts = make_double_tree(static_cast<std::uint32_t>(group_.hosts().size()));
    CollectivePattern pattern = start(CollectiveAlgorithm::kTree);
    pattern.local_steps = 2 * static_cast<double>(group_.most_on_a_host() - 1);
    pattern.network_steps = 2.0 * hosts.depth;
    Edges edges;
    const double share = 1.0 / static_cast<double>(channels());
    for (std::size_t channel = 0; channel < channels(); ++channel) {
      for (std::size_t h = 0; h < group_.hosts().size(); ++h) {
        const Order& order = found_.orders[h][channel];
        for (std::size_t i = 0; i + 1 < order.size(); ++i)
          both_ways(edges, place(h, order[i]), place(h, order[i + 1]), share);
      }
      add_tree(edges, hosts, share,
               [&](std::size_t h) { return place(h, found_.orders[h][channel][0]); });
    }
    return finish(pattern, edges);
  }

  CollectivePattern in_switch() const {
    const DoubleTree hosts = make_double_tree(static_cast<std::uint32_t>(group_.hosts().size()));
    CollectivePattern pattern = start(CollectiveAlgorithm::kInSwitch);
    pattern.local_steps = 1;
    pattern.network_steps = 2.0 * hosts.depth;
    RouteSum sum;
    add_in_switch(sum);
    Edges edges;
    add_parts([&](std::uint32_t device, double part) {
      add_tree(edges, hosts, part, [&](std::size_t h) { return place(h, device); });
    });
    return finish(pattern, edges, sum);
  }

  CollectivePattern rails() const {
    const auto hosts = static_cast<double>(group_.hosts().size());
    CollectivePattern pattern = start(CollectiveAlgorithm::kRails);
    pattern.local_steps = 2 * static_cast<double>(group_.most_on_a_host() - 1);
    pattern.network_steps = 2 * (hosts - 1);
    Edges edges;
    add_local_rings(edges);
    add_parts([&](std::uint32_t device, double part) {
      add_cycle(edges, device, {part * 2 * (hosts - 1) / hosts});
    });
    return finish(pattern, edges);
  }

  CollectivePattern in_network() const {
    CollectivePattern pattern = start(CollectiveAlgorithm::kInNetwork);
    pattern.local_steps = 2;
    pattern.network_steps = 1;
    RouteSum sum;
    Edges edges;
    if (group_.generation().in_switch_reach > 0 && group_.is_switched())
      add_in_switch(sum);
    else
      add_local_rings(edges);
    // NCCL 2.30, tuning.cc: if there are more devices than cards, half of the excess is lost.
    const double per_card = static_cast<double>(group_.most_on_a_host()) /
                            static_cast<double>(group_.hosts().front().channels.size());
    const double loss = (1 + per_card) / 2 / library_.network_reduce_reach;
    add_parts([&](std::uint32_t device, double part) {
      add_cycle(edges, device, {part, part * loss});
    });
    return finish(pattern, edges, sum);
  }

  bool has_rails() const {
    const std::size_t devices = group_.hosts().front().places.size();
    return group_.hosts().size() > 1 &&
           std::all_of(group_.hosts().begin(), group_.hosts().end(),
                       [&](const GroupHost& host) { return host.places.size() == devices; });
  }

 private:
  std::size_t channels() const { return found_.orders.front().size(); }
  std::uint32_t place(std::size_t host, std::uint32_t device) const {
    return group_.hosts()[host].places[device];
  }

  CollectivePattern start(CollectiveAlgorithm algorithm) const {
    CollectivePattern pattern;
    pattern.algorithm = algorithm;
    pattern.channels = static_cast<std::uint32_t>(channels()) * found_.bricks;
    return pattern;
  }

  CollectivePattern finish(CollectivePattern& pattern, const Edges& edges,
                           RouteSum sum = {}) const {
    group_.add_loads(sum, edges);
    const std::span<const LinkShare> merged = sum.merged();
    pattern.loads.assign(merged.begin(), merged.end());
    return std::move(pattern);
  }

  static bool is_chain(plan::OperationKind kind) {
    return kind == plan::OperationKind::kBroadcast || kind == plan::OperationKind::kReduce;
  }

  // Whether all channels have the same order. Chunks then follow each other closely enough for the
  // library to count one step.
  bool have_one_order() const {
    return found_.orders.size() == 1 &&
           std::all_of(found_.orders.front().begin(), found_.orders.front().end(),
                       [&](const Order& order) { return order == found_.orders.front().front(); });
  }

  // Every second host is crossed backwards, so that a channel enters by the card with the same
  // number as the card by which it left the previous host.
  Order order_in_ring(std::size_t host, std::size_t channel) const {
    Order order = found_.orders[host][channel];
    if (found_.crosses[host] && host % 2 == 1) std::reverse(order.begin(), order.end());
    return order;
  }

  void add_ring(Edges& edges, std::size_t channel, double share) const {
    const std::size_t hosts = group_.hosts().size();
    for (std::size_t h = 0; h < hosts; ++h) {
      const Order order = order_in_ring(h, channel);
      for (std::size_t i = 0; i + 1 < order.size(); ++i)
        edges.push_back({place(h, order[i]), place(h, order[i + 1]), {share}});
      const bool closes =
          hosts == 1 || (!found_.crosses[h] && !group_.hosts()[h].channels[channel].last);
      if (closes && order.size() > 1)
        edges.push_back({place(h, order.back()), place(h, order.front()), {share}});
      if (hosts == 1) continue;
      const std::size_t next = (h + 1) % hosts;
      edges.push_back({place(h, closes ? order.front() : order.back()),
                       place(next, order_in_ring(next, channel).front()),
                       {share}});
    }
  }

  static void both_ways(Edges& edges, std::uint32_t a, std::uint32_t b, double share) {
    edges.push_back({a, b, {share}});
    edges.push_back({b, a, {share}});
  }

  // Whether an edge carries nothing: a broadcast sends nothing to its root, and a reduction sends
  // nothing from its root.
  bool is_left_out(plan::OperationKind kind, const PatternEdge& edge) const {
    const std::uint32_t root = place(0, 0);
    return (kind == plan::OperationKind::kBroadcast && edge.to == root) ||
           (kind == plan::OperationKind::kReduce && edge.from == root);
  }

  template <typename PlaceOf>
  void add_tree(Edges& all, const DoubleTree& tree, double share, const PlaceOf& of) const {
    for (const DoubleTree::Edges* edges : {&tree.first, &tree.second})
      for (const auto& [child, parent] : *edges) both_ways(all, of(child), of(parent), share / 2);
  }

  // When n devices reduce in their NVSwitch, each sends its summands and also its part of the sum,
  // and receives the sums and also its part. Published logs confirm this up to eight devices. More
  // devices have the bus bandwidth of eight: the logs of a rack of 72 show this, and in NCCL 2.30's
  // tuning.cc it does not depend on n.
  static double in_switch_passes(double n) {
    constexpr double kFew = 8;
    if (n <= kFew) return 1 + 1 / n;
    return (1 + 1 / kFew) * ring_weight(plan::OperationKind::kAllReduce, n) /
           ring_weight(plan::OperationKind::kAllReduce, kFew);
  }

  // Adds the way of every device to its switch and back. A ring over the devices passes all these
  // links once.
  void add_in_switch(RouteSum& sum) const {
    const double share = group_.hosts().size() > 1 ? library_.in_switch_share_between_hosts : 1;
    for (const GroupHost& host : group_.hosts()) {
      const std::size_t n = host.places.size();
      for (std::size_t i = 0; i < n; ++i)
        group_.add_in_switch_load(
            sum, host.places[i], host.places[(i + 1) % n],
            {1 + 1 / static_cast<double>(n), in_switch_passes(static_cast<double>(n)) / share});
    }
  }

  // Adds the reduce-scatter and the all-gather of each host.
  void add_local_rings(Edges& edges) const {
    Channels found;
    for (std::size_t h = 0; h < group_.hosts().size(); ++h) {
      const auto n = static_cast<double>(group_.hosts()[h].places.size());
      if (n < 2) continue;
      if (h == 0 || !are_alike(group_.hosts()[h - 1].links, group_.hosts()[h].links))
        found = find_rings(group_.hosts()[h].links);
      for (const Order& order : found.orders)
        for (std::size_t i = 0; i < order.size(); ++i)
          edges.push_back({place(h, order[i]),
                           place(h, order[(i + 1) % order.size()]),
                           {2 * (n - 1) / n / static_cast<double>(found.orders.size())}});
    }
  }

  // Calls `add` for every device of a host with its part of the span.
  template <typename Add>
  void add_parts(const Add& add) const {
    if (group_.hosts().size() == 1) return;
    const auto devices = static_cast<std::uint32_t>(group_.hosts().front().places.size());
    for (std::uint32_t device = 0; device < devices; ++device) add(device, 1.0 / devices);
  }

  // Adds a cycle that leaves and enters every host once.
  void add_cycle(Edges& edges, std::uint32_t device, ByteShare share) const {
    const std::size_t hosts = group_.hosts().size();
    for (std::size_t h = 0; h < hosts; ++h)
      edges.push_back({place(h, device), place((h + 1) % hosts, device), share});
  }

  CollectiveGroup& group_;
  const CollectiveLibrary& library_;
  GroupOrders found_;
};

}  // namespace

std::vector<CollectivePattern> collective_patterns(CollectiveGroup& group,
                                                   const CollectiveLibrary& library,
                                                   plan::OperationKind kind, bool network_reduces) {
  const PatternBuilder builder(group, library);
  std::vector<CollectivePattern> patterns = {builder.ring(kind)};
  if (kind != plan::OperationKind::kAllReduce) return patterns;
  patterns.push_back(builder.tree());
  const auto has = [&](CollectiveAlgorithm it) {
    return library.has[static_cast<std::size_t>(it)];
  };
  const bool in_switch = group.generation().in_switch_reach > 0 && group.is_switched();
  const bool enough = group.hosts().size() == 1
                          ? static_cast<double>(group.devices()) >= library.in_switch_least_devices
                          : builder.has_rails();
  if (has(CollectiveAlgorithm::kInSwitch) && in_switch && enough)
    patterns.push_back(builder.in_switch());
  if (has(CollectiveAlgorithm::kRails) && builder.has_rails()) patterns.push_back(builder.rails());
  if (has(CollectiveAlgorithm::kInNetwork) && builder.has_rails() && network_reduces)
    patterns.push_back(builder.in_network());
  return patterns;
}

}  // namespace convoy::simulate
