#include "core/simulate/collectives/channel_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "core/base/error.hpp"

namespace convoy::simulate {
namespace {

using Order = std::vector<std::uint32_t>;

constexpr std::uint32_t kMostSteps = 1u << 14;  // steps of one search, as in NCCL
constexpr std::size_t kMostChannels = 32;
constexpr double kSlack = 1 - 1e-9;  // capacities are sums of fractions
constexpr double kNoRateLimit = std::numeric_limits<double>::infinity();

// The ways that a search may use. Links are numbered from 0, because it asks for them many times.
class SearchedWays {
 public:
  SearchedWays(const DeviceLinks& links, bool only_direct) : devices_(links.devices) {
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (const auto& [link, limit] : links.limits) {
      numbers.emplace(link, static_cast<std::uint32_t>(limits_.size()));
      limits_.push_back(limit);
    }
    for (const DeviceLinks::Way& way : links.ways) {
      allowed_.push_back(way.direct || !only_direct);
      Order& its_links = links_.emplace_back();
      for (const std::uint32_t link : way.links) its_links.push_back(numbers.at(link));
    }
    for (std::uint32_t from = 0; from < devices_; ++from) nearest_.push_back(nearest(links, from));
  }

  std::uint32_t devices() const { return devices_; }
  const std::vector<double>& limits() const { return limits_; }  // per link
  bool is_allowed(std::uint32_t from, std::uint32_t to) const {
    return allowed_[from * devices_ + to];
  }
  const Order& links(std::uint32_t from, std::uint32_t to) const {
    return links_[from * devices_ + to];
  }
  // Returns all other devices: those with direct ways first, then those with the fewest links
  // between. They are counted from the device after this one, so that channels with different
  // starts spread evenly.
  const Order& nearest(std::uint32_t from) const { return nearest_[from]; }

 private:
  static Order nearest(const DeviceLinks& links, std::uint32_t from) {
    Order others;
    for (std::uint32_t i = 1; i < links.devices; ++i) others.push_back((from + i) % links.devices);
    std::ranges::stable_sort(others, [&](std::uint32_t a, std::uint32_t b) {
      const DeviceLinks::Way& to_a = links.way(from, a);
      const DeviceLinks::Way& to_b = links.way(from, b);
      if (to_a.direct != to_b.direct) return to_a.direct;
      return to_a.links.size() < to_b.links.size();
    });
    return others;
  }

  std::uint32_t devices_;
  std::vector<double> limits_;
  std::vector<Order> links_;   // of each way
  std::vector<bool> allowed_;  // each way
  std::vector<Order> nearest_;
};

// One search at one rate.
class SearchAtRate {
 public:
  SearchAtRate(const SearchedWays& ways, double rate)
      : ways_(ways), rate_(rate), left_(ways.limits()) {}

  // Finds closed orders; stops as soon as there are `enough`.
  std::vector<Order> rings(std::size_t enough) {
    enough_ = std::min(enough, kMostChannels);
    next_ring();
    return best_;
  }

  // Finds one order per pair of ends. Empty if they do not fit.
  std::vector<Order> chains(const std::vector<ChannelEnds>& ends) {
    ends_ = &ends;
    enough_ = ends.size();
    next_chain();
    return best_.size() == ends.size() ? best_ : std::vector<Order>();
  }

 private:
  bool is_over() const { return best_.size() >= enough_ || steps_ >= kMostSteps; }

  bool fits(std::uint32_t from, std::uint32_t to) const {
    if (!ways_.is_allowed(from, to)) return false;
    for (const std::uint32_t link : ways_.links(from, to))
      if (left_[link] < rate_ * kSlack) return false;
    return true;
  }

  void take(std::uint32_t from, std::uint32_t to, double sign) {
    for (const std::uint32_t link : ways_.links(from, to)) left_[link] -= sign * rate_;
  }

  bool take_ring(const Order& order) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t to = order[(i + 1) % order.size()];
      if (fits(order[i], to)) {
        take(order[i], to, 1);
        continue;
      }
      while (i-- > 0) take(order[i], order[i + 1], -1);
      return false;
    }
    return true;
  }

  void give_ring_back(const Order& order) {
    for (std::size_t i = 0; i < order.size(); ++i)
      take(order[i], order[(i + 1) % order.size()], -1);
  }

  void keep_best() {
    if (found_.size() > best_.size()) best_ = found_;
  }

  void next_ring() {
    keep_best();
    if (is_over()) return;
    if (!found_.empty()) {
      Order reverse = found_.back();
      std::reverse(reverse.begin() + 1, reverse.end());
      for (const Order& again : {reverse, found_.back()})
        if (!is_over() && take_ring(again)) {
          found_.push_back(again);
          next_ring();
          found_.pop_back();
          give_ring_back(again);
        }
      if (is_over()) return;
    }
    start(0);
    extend([this] { return fits(order_.back(), order_.front()); },
           [this] {
             const Order kept = order_;
             const std::vector<bool> used = used_;
             take(kept.back(), kept.front(), 1);
             found_.push_back(kept);
             next_ring();
             found_.pop_back();
             take(kept.back(), kept.front(), -1);
             order_ = kept;
             used_ = used;
           });
  }

  void next_chain() {
    keep_best();
    if (is_over()) return;
    const ChannelEnds ends = (*ends_)[found_.size()];
    start(ends.first);
    last_ = ends.last;
    extend(
        [this, ends] {
          return ends.last ? order_.back() == *ends.last : fits(order_.back(), order_.front());
        },
        [this, ends] {
          const Order kept = order_;
          const std::vector<bool> used = used_;
          const bool closes = !ends.last && kept.size() > 1;
          if (closes) take(kept.back(), kept.front(), 1);
          found_.push_back(kept);
          next_chain();
          found_.pop_back();
          if (closes) take(kept.back(), kept.front(), -1);
          order_ = kept;
          used_ = used;
          last_ = ends.last;
        });
  }

  void start(std::uint32_t first) {
    order_.assign(1, first);
    used_.assign(ways_.devices(), false);
    used_[first] = true;
  }

  // The next devices to try, the nearest first.
  Order next_devices() const {
    const std::uint32_t from = order_.back();
    Order next;
    for (const std::uint32_t to : ways_.nearest(from)) {
      const bool too_early = last_ == to && order_.size() + 1 < ways_.devices();
      if (!used_[to] && !too_early && fits(from, to)) next.push_back(to);
    }
    return next;
  }

  template <typename IsEnd, typename Found>
  void extend(const IsEnd& is_end, const Found& found) {
    ++steps_;
    if (order_.size() == ways_.devices()) {
      if (is_end()) found();
      return;
    }
    for (const std::uint32_t to : next_devices()) {
      if (is_over()) return;
      const std::uint32_t from = order_.back();
      take(from, to, 1);
      order_.push_back(to);
      used_[to] = true;
      extend(is_end, found);
      used_[to] = false;
      order_.pop_back();
      take(from, to, -1);
    }
  }

  const SearchedWays& ways_;
  double rate_;
  std::vector<double> left_;  // of every link
  const std::vector<ChannelEnds>* ends_ = nullptr;
  std::size_t enough_ = 0;
  std::uint32_t steps_ = 0;
  Order order_;
  std::optional<std::uint32_t> last_;  // where the order must end
  std::vector<bool> used_;
  std::vector<Order> found_;
  std::vector<Order> best_;
};

// Fractions of the links' rates, the highest first, because several channels may share a link.
std::vector<double> rates_to_try(const DeviceLinks& links, bool only_direct, double limit) {
  const std::uint32_t most_on_a_link = std::max(16u, links.devices);
  std::set<double> limits;
  for (const DeviceLinks::Way& way : links.ways)
    if (way.direct || !only_direct)
      for (const std::uint32_t link : way.links) limits.insert(links.limits.at(link));
  std::set<double, std::greater<>> rates;
  for (const double of_a_link : limits)
    for (std::uint32_t i = 1; i <= most_on_a_link; ++i)
      rates.insert(std::min(limit, of_a_link / i));
  return {rates.begin(), rates.end()};
}

// A bound on the total rate of all channels: the lowest total rate at which data can leave a
// device.
double most_in_all(const DeviceLinks& links, bool only_direct) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t from = 0; from < links.devices; ++from) {
    std::set<std::uint32_t> first;
    for (std::uint32_t to = 0; to < links.devices; ++to) {
      const DeviceLinks::Way& way = links.way(from, to);
      if (to != from && !way.links.empty() && (way.direct || !only_direct))
        first.insert(way.links.front());
    }
    double sum = 0;
    for (const std::uint32_t link : first) sum += links.limits.at(link);
    least = std::min(least, sum);
  }
  return least;
}

Channels search_rings(const DeviceLinks& links, bool only_direct) {
  Channels best;
  const SearchedWays ways(links, only_direct);
  const double most = most_in_all(links, only_direct);
  for (const double rate : rates_to_try(links, only_direct, kNoRateLimit)) {
    const double channels = most / rate / kSlack;
    if (channels < 1 || std::min<double>(channels, kMostChannels) * rate <= best.total()) continue;
    SearchAtRate search(ways, rate);
    const Channels found{search.rings(static_cast<std::size_t>(channels)), rate};
    if (found.total() > best.total() / kSlack) best = found;
    if (best.total() >= most * kSlack) break;
  }
  return best;
}

Channels natural_ring(const DeviceLinks& links) {
  Order order(links.devices);
  std::iota(order.begin(), order.end(), 0);
  std::map<std::uint32_t, std::uint32_t> uses;
  for (const std::uint32_t from : order)
    for (const std::uint32_t link : links.way(from, (from + 1) % links.devices).links) ++uses[link];
  double rate = kNoRateLimit;
  for (const auto& [link, times] : uses) rate = std::min(rate, links.limits.at(link) / times);
  return {{order}, rate};
}

}  // namespace

bool are_alike(const DeviceLinks& a, const DeviceLinks& b) {
  if (a.devices != b.devices) return false;
  std::map<std::uint32_t, std::uint32_t> other;  // links of b, by those of a
  for (std::size_t i = 0; i < a.ways.size(); ++i) {
    const DeviceLinks::Way& x = a.ways[i];
    const DeviceLinks::Way& y = b.ways[i];
    if (x.direct != y.direct || x.links.size() != y.links.size()) return false;
    for (std::size_t j = 0; j < x.links.size(); ++j) {
      const auto known = other.try_emplace(x.links[j], y.links[j]).first;
      if (known->second != y.links[j] || a.limits.at(x.links[j]) != b.limits.at(y.links[j]))
        return false;
    }
  }
  return true;
}

Channels find_rings(const DeviceLinks& links) {
  CONVOY_CHECK(links.devices > 1);
  if (links.is_taken_in_order()) return natural_ring(links);
  for (const bool only_direct : {true, false}) {
    Channels found = search_rings(links, only_direct);
    if (!found.orders.empty()) return found;
  }
  return {};
}

Channels find_chains(const DeviceLinks& links, const std::vector<ChannelEnds>& ends, double limit) {
  if (links.is_taken_in_order()) return {};
  if (links.devices == 1) return {std::vector<Order>(ends.size(), Order(1, 0)), limit};
  for (const bool only_direct : {true, false}) {
    const SearchedWays ways(links, only_direct);
    for (const double rate : rates_to_try(links, only_direct, limit)) {
      // Every channel except one that ends at the device leaves it.
      const auto leaving = static_cast<double>(ends.size() - 1);
      if (leaving * rate * kSlack > most_in_all(links, only_direct)) continue;
      SearchAtRate search(ways, rate);
      Channels found{search.chains(ends), rate};
      if (!found.orders.empty()) return found;
    }
  }
  return {};
}

}  // namespace convoy::simulate
