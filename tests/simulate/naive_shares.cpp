#include "tests/simulate/naive_shares.hpp"

#include <algorithm>
#include <limits>

namespace convoy::testing {

using simulate::LinkShare;

namespace {

constexpr double kNothingStops = std::numeric_limits<double>::infinity();

double weight_on(const NaiveFlow& flow, std::size_t link) {
  double weight = 0;
  for (const LinkShare& share : flow.links)
    if (share.link == link) weight += share.weight;
  return weight;
}

// The rate at which the link is full when those that grow have it and the others theirs.
double level(const simulate::LinkCapacity& capacity, std::size_t link,
             std::span<const NaiveFlow> flows, const std::vector<double>& rates,
             const std::vector<bool>& grows) {
  double senders = 0;
  double taken = 0;
  double weight = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const double own = weight_on(flows[i], link);
    if (own == 0) continue;
    ++senders;
    (grows[i] ? weight : taken) += grows[i] ? own : own * rates[i];
  }
  if (weight == 0) return kNothingStops;
  const double total = capacity.bytes_per_second / (1 + capacity.incast_loss * (senders - 1));
  return std::max(0.0, total - taken) / weight;
}

}  // namespace

std::vector<double> naive_rates(std::span<const simulate::LinkCapacity> links,
                                std::span<const NaiveFlow> flows) {
  std::vector<double> rates(flows.size(), kNothingStops);
  std::vector<bool> grows(flows.size(), true);
  while (std::find(grows.begin(), grows.end(), true) != grows.end()) {
    std::vector<double> levels;
    for (std::size_t link = 0; link < links.size(); ++link)
      levels.push_back(level(links[link], link, flows, rates, grows));
    double lowest = kNothingStops;
    std::vector<double> bounds;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      bounds.push_back(flows[i].limit);
      for (const LinkShare& share : flows[i].links)
        bounds[i] = std::min(bounds[i], levels[share.link]);
      if (grows[i]) lowest = std::min(lowest, bounds[i]);
    }
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (!grows[i] || bounds[i] > lowest * (1 + 1e-12)) continue;
      rates[i] = lowest;
      grows[i] = false;
    }
  }
  return rates;
}

}  // namespace convoy::testing
