#include "core/simulate/collectives/crossing_chains.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace convoy::simulate {
namespace {

bool have_a_card_each(const DeviceLinks& links, const std::vector<ChannelEnds>& ends) {
  std::set<std::uint32_t> first;
  for (const ChannelEnds& it : ends)
    if (!it.last) first.insert(it.first);
  return ends.size() == links.devices && first.size() == links.devices;
}

bool have_own_links(const DeviceLinks& links) {
  std::set<std::uint32_t> all;
  for (std::uint32_t from = 0; from < links.devices; ++from)
    for (std::uint32_t to = 0; to < links.devices; ++to) {
      if (from == to) continue;
      const DeviceLinks::Way& way = links.way(from, to);
      if (!way.direct || way.links.size() != 1 || !all.insert(way.links.front()).second)
        return false;
    }
  return true;
}

// The devices first, first + 1, first - 1, first + 2, ... up to the opposite one on the circle.
std::vector<std::uint32_t> zigzag(std::uint32_t first, std::uint32_t devices) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < devices; ++i) {
    const std::uint32_t steps = (i + 1) / 2;
    order.push_back((first + (i % 2 == 1 ? steps : devices - steps)) % devices);
  }
  return order;
}

}  // namespace

Channels find_crossing_chains(const DeviceLinks& links, const std::vector<ChannelEnds>& ends) {
  const bool fits = links.devices > 1 && links.devices % 2 == 0 && !links.is_taken_in_order() &&
                    have_a_card_each(links, ends) && have_own_links(links);
  if (!fits) return {};
  Channels found{{}, std::numeric_limits<double>::infinity()};
  for (const ChannelEnds& it : ends) found.orders.push_back(zigzag(it.first, links.devices));
  for (const auto& [link, limit] : links.limits)
    found.bytes_per_second = std::min(found.bytes_per_second, limit);
  return found;
}

}  // namespace convoy::simulate
