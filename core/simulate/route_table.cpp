#include "core/simulate/route_table.hpp"

#include <algorithm>
#include <limits>

namespace convoy::simulate {

std::vector<LinkShare> RouteSum::take() {
  std::stable_sort(shares_.begin(), shares_.end(),
                   [](const LinkShare& a, const LinkShare& b) { return a.link < b.link; });
  std::vector<LinkShare> result;
  for (const LinkShare& share : shares_) {
    if (!result.empty() && result.back().link == share.link)
      result.back().weight += share.weight;
    else
      result.push_back(share);
  }
  return result;
}

const Path& RouteTable::path(std::uint32_t from, std::uint32_t to) {
  const auto [it, inserted] = paths_.try_emplace({from, to});
  if (inserted && from != to) it->second = machine_.paths(from, to);
  return it->second;
}

std::uint32_t RouteTable::add(RouteSum sum) {
  const std::vector<LinkShare> shares = sum.take();
  if (shares.empty()) return kNone;
  std::vector<std::pair<std::uint32_t, double>> key;
  for (const LinkShare& share : shares) key.emplace_back(share.link, share.weight);
  const auto [it, inserted] = routes_.try_emplace(std::move(key));
  if (inserted) it->second = graph_.routes.add(shares);
  return it->second;
}

std::uint32_t RouteTable::add_group(const std::vector<std::uint32_t>& places) {
  const auto [it, inserted] = groups_.try_emplace(places);
  if (inserted) it->second = graph_.groups.add(places);
  return it->second;
}

double RouteTable::capacity(std::uint32_t route) const {
  double rate = std::numeric_limits<double>::infinity();
  if (route == kNone) return rate;
  for (const LinkShare& share : graph_.routes[route])
    rate = std::min(rate, graph_.links[share.link].bytes_per_second / share.weight);
  return rate;
}

}  // namespace convoy::simulate
