#include "core/simulate/collectives/collective_patterns.hpp"

#include <algorithm>
#include <limits>

#include "core/simulate/collectives/crossing_chains.hpp"
#include "core/simulate/collectives/double_tree.hpp"
#include "core/simulate/collectives/ring_weight.hpp"

namespace convoy::simulate {
namespace {

using Order = std::vector<std::uint32_t>;

// Builds the patterns from the orders of devices for every host and channel. On one host, the
// orders are closed; with several hosts, they lead from one network card to another.
class PatternBuilder {
 public:
  PatternBuilder(CollectiveGroup& group, const CollectiveLibrary& library)
      : group_(group), library_(library) {
    find_orders();
  }

  CollectivePattern ring(OperationKind kind) const {
    const auto n = static_cast<double>(group_.devices());
    const auto hosts = static_cast<double>(group_.hosts().size());
    const double rounds = kind == OperationKind::kAllReduce ? 2 : 1;
    CollectivePattern pattern = start(CollectiveAlgorithm::kRing);
    pattern.network_steps = hosts > 1 ? rounds * (hosts - 1) : 0;
    pattern.local_steps = rounds * (n - 1) - pattern.network_steps;
    pattern.passes = ring_weight(kind, n);
    if (is_chain(kind) && have_one_order()) pattern.local_steps = 1;
    RouteSum sum;
    const double share = pattern.passes / static_cast<double>(channels());
    for (std::size_t channel = 0; channel < channels(); ++channel) add_ring(sum, channel, share);
    return finish(pattern, sum);
  }

  CollectivePattern tree() const {
    const DoubleTree hosts = make_double_tree(static_cast<std::uint32_t>(group_.hosts().size()));
    CollectivePattern pattern = start(CollectiveAlgorithm::kTree);
    pattern.local_steps = 2 * static_cast<double>(group_.most_on_a_host() - 1);
    pattern.network_steps = 2.0 * hosts.depth;
    RouteSum sum;
    const double share = 1.0 / static_cast<double>(channels());
    for (std::size_t channel = 0; channel < channels(); ++channel) {
      for (std::size_t h = 0; h < group_.hosts().size(); ++h) {
        const Order& order = orders_[h][channel];
        for (std::size_t i = 0; i + 1 < order.size(); ++i)
          both_ways(sum, place(h, order[i]), place(h, order[i + 1]), share);
      }
      add_tree(sum, hosts, share, [&](std::size_t h) { return place(h, orders_[h][channel][0]); });
    }
    return finish(pattern, sum);
  }

  CollectivePattern in_switch() const {
    const DoubleTree hosts = make_double_tree(static_cast<std::uint32_t>(group_.hosts().size()));
    CollectivePattern pattern = start(CollectiveAlgorithm::kInSwitch);
    pattern.local_steps = 1;
    pattern.network_steps = 2.0 * hosts.depth;
    RouteSum sum;
    add_in_switch(sum);
    add_parts([&](std::uint32_t device, double part) {
      add_tree(sum, hosts, part, [&](std::size_t h) { return place(h, device); });
    });
    return finish(pattern, sum);
  }

  CollectivePattern rails() const {
    const auto hosts = static_cast<double>(group_.hosts().size());
    CollectivePattern pattern = start(CollectiveAlgorithm::kRails);
    pattern.local_steps = 2 * static_cast<double>(group_.most_on_a_host() - 1);
    pattern.network_steps = 2 * (hosts - 1);
    RouteSum sum;
    add_local_rings(sum);
    add_parts([&](std::uint32_t device, double part) {
      add_cycle(sum, device, {part * 2 * (hosts - 1) / hosts});
    });
    return finish(pattern, sum);
  }

  CollectivePattern in_network() const {
    CollectivePattern pattern = start(CollectiveAlgorithm::kInNetwork);
    pattern.local_steps = 2;
    pattern.network_steps = 1;
    RouteSum sum;
    if (group_.generation().in_switch_reach > 0 && group_.is_switched())
      add_in_switch(sum);
    else
      add_local_rings(sum);
    // NCCL 2.30, tuning.cc: if there are more devices than cards, half of the excess is lost.
    const double per_card = static_cast<double>(group_.most_on_a_host()) /
                            static_cast<double>(group_.hosts().front().channels.size());
    const double loss = (1 + per_card) / 2 / library_.network_reduce_reach;
    add_parts([&](std::uint32_t device, double part) {
      add_cycle(sum, device, {part, part * loss});
    });
    return finish(pattern, sum);
  }

  bool has_rails() const {
    const std::size_t devices = group_.hosts().front().places.size();
    return group_.hosts().size() > 1 &&
           std::all_of(group_.hosts().begin(), group_.hosts().end(),
                       [&](const GroupHost& host) { return host.places.size() == devices; });
  }

 private:
  std::size_t channels() const { return orders_.front().size(); }
  std::uint32_t place(std::size_t host, std::uint32_t device) const {
    return group_.hosts()[host].places[device];
  }

  CollectivePattern start(CollectiveAlgorithm algorithm) const {
    CollectivePattern pattern;
    pattern.algorithm = algorithm;
    pattern.channels = static_cast<std::uint32_t>(channels()) * bricks_;
    return pattern;
  }

  static CollectivePattern finish(CollectivePattern& pattern, RouteSum& sum) {
    const std::span<const LinkShare> merged = sum.merged();
    pattern.loads.assign(merged.begin(), merged.end());
    return std::move(pattern);
  }

  void find_orders() {
    const bool one_host = group_.hosts().size() == 1;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    const GroupHost& first = group_.hosts().front();
    for (const GroupHost& host : group_.hosts()) {
      if (!orders_.empty() && host.channels == first.channels &&
          are_alike(first.links, host.links)) {
        orders_.push_back(orders_.front());
        crosses_.push_back(crosses_.front());
        continue;
      }
      Channels found = find_crossing_chains(host.links, host.channels);
      crosses_.push_back(!found.orders.empty());
      if (found.orders.empty())
        found = one_host ? find_rings(host.links)
                         : find_chains(host.links, host.channels,
                                       std::numeric_limits<double>::infinity());
      if (found.orders.empty()) found.orders.push_back(natural_order(host));
      least = std::min(least, found.orders.size());
      orders_.push_back(std::move(found.orders));
    }
    for (auto& orders : orders_) orders.resize(least);
    if (!one_host)
      bricks_ = group_.cards_at_once();
    else if (group_.is_switched())
      bricks_ = group_.bricks();
  }

  static bool is_chain(OperationKind kind) {
    return kind == OperationKind::kBroadcast || kind == OperationKind::kReduce;
  }

  // Chunks then follow each other closely enough for the library to count one step.
  bool have_one_order() const {
    return orders_.size() == 1 &&
           std::all_of(orders_.front().begin(), orders_.front().end(),
                       [&](const Order& order) { return order == orders_.front().front(); });
  }

  static Order natural_order(const GroupHost& host) {
    Order order;
    for (std::uint32_t i = 0; i < host.places.size(); ++i) order.push_back(i);
    return order;
  }

  // Every second host is crossed backwards, so that a channel enters by the card with the same
  // number as the card by which it left the previous host.
  Order order_in_ring(std::size_t host, std::size_t channel) const {
    Order order = orders_[host][channel];
    if (crosses_[host] && host % 2 == 1) std::reverse(order.begin(), order.end());
    return order;
  }

  void add_ring(RouteSum& sum, std::size_t channel, double share) const {
    const std::size_t hosts = group_.hosts().size();
    for (std::size_t h = 0; h < hosts; ++h) {
      const Order order = order_in_ring(h, channel);
      for (std::size_t i = 0; i + 1 < order.size(); ++i)
        group_.add_load(sum, place(h, order[i]), place(h, order[i + 1]), {share});
      const bool closes = hosts == 1 || (!crosses_[h] && !group_.hosts()[h].channels[channel].last);
      if (closes && order.size() > 1)
        group_.add_load(sum, place(h, order.back()), place(h, order.front()), {share});
      if (hosts == 1) continue;
      const std::size_t next = (h + 1) % hosts;
      group_.add_load(sum, place(h, closes ? order.front() : order.back()),
                      place(next, order_in_ring(next, channel).front()), {share});
    }
  }

  void both_ways(RouteSum& sum, std::uint32_t a, std::uint32_t b, double share) const {
    group_.add_load(sum, a, b, {share});
    group_.add_load(sum, b, a, {share});
  }

  template <typename PlaceOf>
  void add_tree(RouteSum& sum, const DoubleTree& tree, double share, const PlaceOf& of) const {
    for (const DoubleTree::Edges* edges : {&tree.first, &tree.second})
      for (const auto& [child, parent] : *edges) both_ways(sum, of(child), of(parent), share / 2);
  }

  // When n devices reduce in their NVSwitch, each sends its summands and also its part of the sum,
  // and receives the sums and also its part. Published logs confirm this up to eight devices. More
  // devices have the bus bandwidth of eight: the logs of a rack of 72 show this, and in NCCL 2.30's
  // tuning.cc it does not depend on n.
  static double in_switch_passes(double n) {
    constexpr double kFew = 8;
    if (n <= kFew) return 1 + 1 / n;
    return (1 + 1 / kFew) * ring_weight(OperationKind::kAllReduce, n) /
           ring_weight(OperationKind::kAllReduce, kFew);
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
  void add_local_rings(RouteSum& sum) const {
    Channels found;
    for (std::size_t h = 0; h < group_.hosts().size(); ++h) {
      const auto n = static_cast<double>(group_.hosts()[h].places.size());
      if (n < 2) continue;
      if (h == 0 || !are_alike(group_.hosts()[h - 1].links, group_.hosts()[h].links))
        found = find_rings(group_.hosts()[h].links);
      for (const Order& order : found.orders)
        for (std::size_t i = 0; i < order.size(); ++i)
          group_.add_load(sum, place(h, order[i]), place(h, order[(i + 1) % order.size()]),
                          {2 * (n - 1) / n / static_cast<double>(found.orders.size())});
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
  void add_cycle(RouteSum& sum, std::uint32_t device, ByteShare share) const {
    const std::size_t hosts = group_.hosts().size();
    for (std::size_t h = 0; h < hosts; ++h)
      group_.add_load(sum, place(h, device), place((h + 1) % hosts, device), share);
  }

  CollectiveGroup& group_;
  const CollectiveLibrary& library_;
  std::vector<std::vector<Order>> orders_;  // per host and channel
  std::vector<bool> crosses_;               // per host: see find_crossing_chains
  std::uint32_t bricks_ = 1;                // channels per order that was found; or cards
};

}  // namespace

std::vector<CollectivePattern> collective_patterns(CollectiveGroup& group,
                                                   const CollectiveLibrary& library,
                                                   OperationKind kind, bool network_reduces) {
  const PatternBuilder builder(group, library);
  std::vector<CollectivePattern> patterns = {builder.ring(kind)};
  if (kind != OperationKind::kAllReduce) return patterns;
  patterns.push_back(builder.tree());
  const auto has = [&](CollectiveAlgorithm it) {
    return library.has[static_cast<std::size_t>(it)];
  };
  const bool in_switch = group.generation().in_switch_reach > 0 && group.is_switched();
  if (has(CollectiveAlgorithm::kInSwitch) && in_switch &&
      (group.hosts().size() == 1 || builder.has_rails()))
    patterns.push_back(builder.in_switch());
  if (has(CollectiveAlgorithm::kRails) && builder.has_rails()) patterns.push_back(builder.rails());
  if (has(CollectiveAlgorithm::kInNetwork) && builder.has_rails() && network_reduces)
    patterns.push_back(builder.in_network());
  return patterns;
}

}  // namespace convoy::simulate
