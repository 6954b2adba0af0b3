#include "core/plan/schedule/spanning_collective.hpp"

#include <algorithm>

namespace convoy::plan {

bool spans_hosts(const Plan& lowered, const Operation& operation) {
  if (!is_collective(operation.kind)) return false;
  const std::uint32_t host = lowered.cluster->places[operation.place].host;
  const auto is_elsewhere = [&](const PlanSpan& span) { return lowered.host_of(span) != host; };
  return std::ranges::any_of(operation.reads, is_elsewhere) ||
         std::ranges::any_of(operation.writes, is_elsewhere);
}

std::uint32_t place_on_host(const Plan& lowered, const Operation& operation, std::uint32_t host) {
  if (!spans_hosts(lowered, operation)) return operation.place;
  const std::vector<Place>& places = lowered.cluster->places;
  const auto first = std::ranges::find_if(places, [host](const Place& place) {
    return place.host == host && place.kind == CONVOY_PLACE_DEVICE;
  });
  return static_cast<std::uint32_t>(first - places.begin());
}

}  // namespace convoy::plan
