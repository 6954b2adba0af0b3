#pragma once

#include <convoy/planner.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "workers.hpp"

namespace convoy_strategies {

// Part of the arena, and the place of the parameter server that keeps it.
struct PlacedRange {
  convoy::Range range;
  convoy::PlaceId server;
};

// Assigns every variable, with the padding after it, to a server, in order of creation. The last
// variable of the arena was created first, because gradients become ready from the end of the
// model. round_robin: to each server in turn. bytes: to the server with the fewest bytes so far.
inline std::vector<PlacedRange> place_on_servers(const convoy::Planner& p,
                                                 const std::string& placement) {
  const std::vector<convoy::PlaceId> servers = server_places(p);
  std::vector<std::uint64_t> load(servers.size(), 0);
  std::vector<PlacedRange> placed(p.variable_count());
  std::uint64_t end = p.arena_elements();
  for (std::uint32_t created = 0; created < p.variable_count(); ++created) {
    const std::uint32_t index = p.variable_count() - 1 - created;
    const std::uint64_t first = index == 0 ? 0 : p.variable(index).range.first;
    std::size_t server = created % servers.size();
    if (placement == "bytes")
      server = static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    load[server] += end - first;
    placed[index] = {{first, end - first}, servers[server]};
    end = first;
  }
  return placed;
}

}  // namespace convoy_strategies
