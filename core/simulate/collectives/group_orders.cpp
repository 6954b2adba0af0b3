#include "core/simulate/collectives/group_orders.hpp"

#include <algorithm>
#include <limits>

#include "core/simulate/collectives/crossing_chains.hpp"

namespace convoy::simulate {
namespace {

struct HostOrders {
  Channels found;
  bool crosses = false;
};

HostOrders find_host_orders(const GroupHost& host, bool one_host) {
  HostOrders result = {.found = find_crossing_chains(host.links, host.channels)};
  result.crosses = !result.found.orders.empty();
  if (result.crosses) return result;
  result.found =
      one_host ? find_rings(host.links)
               : find_chains(host.links, host.channels, std::numeric_limits<double>::infinity());
  if (!result.found.orders.empty()) return result;
  Order natural;
  for (std::uint32_t i = 0; i < host.places.size(); ++i) natural.push_back(i);
  result.found.orders.push_back(std::move(natural));
  return result;
}

// NCCL 2.30, search.cc (ncclTopoDupChannels): it doubles channels that carry 25 GB/s, unless they
// are many and carry less than 50 GB/s.
bool are_doubled(std::size_t channels, double rate) {
  constexpr double kFast = 25e9;
  constexpr double kVeryFast = 50e9;
  constexpr std::size_t kFew = 4;
  return rate >= kFast && (rate >= kVeryFast || channels <= kFew);
}

}  // namespace

GroupOrders find_group_orders(const CollectiveGroup& group) {
  GroupOrders result;
  const bool one_host = group.hosts().size() == 1;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  double rate = group.card_bytes_per_second();
  const GroupHost& first = group.hosts().front();
  for (const GroupHost& host : group.hosts()) {
    if (!result.orders.empty() && host.channels == first.channels &&
        are_alike(first.links, host.links)) {
      result.orders.push_back(result.orders.front());
      result.crosses.push_back(result.crosses.front());
      continue;
    }
    HostOrders orders = find_host_orders(host, one_host);
    least = std::min(least, orders.found.orders.size());
    rate = std::min(rate, orders.found.bytes_per_second);
    result.orders.push_back(std::move(orders.found.orders));
    result.crosses.push_back(orders.crosses);
  }
  for (auto& orders : result.orders) orders.resize(least);
  if (!one_host)
    result.bricks = group.cards_at_once() * (are_doubled(least, rate) ? 2 : 1);
  else if (group.is_switched())
    result.bricks = group.bricks();
  return result;
}

}  // namespace convoy::simulate
