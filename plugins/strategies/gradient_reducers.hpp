#pragma once

#include <convoy/planner.hpp>

#include <algorithm>
#include <functional>
#include <vector>

namespace convoy_strategies {

using Spans = std::vector<convoy::Span>;

// Writes the operations that turn the gradients of pack number `index`, one span per replica, into
// their sum in every span.
using Reducer = std::function<void(convoy::Planner& p, const Spans& gradients, std::size_t index)>;

// Returns the device of the replica with this number.
inline convoy::PlaceId device(const convoy::Planner& p, std::uint64_t replica) {
  return p.replica_place(convoy::ReplicaId(static_cast<std::uint32_t>(replica)));
}

inline void sum_at(convoy::Planner& p, convoy::PlaceId place, const Spans& gradients) {
  const convoy::Buffer total = p.scratch(place, gradients.front().count);
  p.sum(total, gradients);
  for (const convoy::Span& gradient : gradients) p.copy(gradient, total);
}

inline void reduce_on_host(convoy::Planner& p, const Spans& gradients, std::size_t /*index*/) {
  sum_at(p, p.host_place(convoy::ReplicaId(0)), gradients);
}

// Reduces pack i on device i mod n.
inline void reduce_in_turn(convoy::Planner& p, const Spans& gradients, std::size_t index) {
  sum_at(p, device(p, index % p.replica_count()), gradients);
}

inline Spans part_of_all(const Spans& spans, convoy::Range range) {
  Spans result;
  for (const convoy::Span& span : spans)
    result.push_back(convoy::part(span, range.first, range.count));
  return result;
}

// Devices are in groups of `shards`, filled cyclically. Pack t is cut over group t mod the number
// of groups. With a remainder, some device appears twice: 5 devices in groups of 2 are 0 3 | 1 4 |
// 2 0.
inline Reducer sharded_on_devices(std::uint64_t shards) {
  return [shards](convoy::Planner& p, const Spans& gradients, std::size_t index) {
    const std::uint64_t devices = p.replica_count();
    const std::uint64_t groups = (devices + shards - 1) / shards;
    const std::uint64_t group = index % groups;
    std::uint64_t member = 0;
    for (const convoy::Range range : convoy::split({0, gradients.front().count}, shards)) {
      const std::uint64_t index_of_device = (group + member++ * groups) % devices;
      sum_at(p, device(p, index_of_device), part_of_all(gradients, range));
    }
  };
}

// `shards` collectives over parts of the pack, each with the devices rotated so that they start at
// different ones.
inline Reducer collective_reducer(convoy::Algorithm algorithm, std::uint64_t shards) {
  return [algorithm, shards](convoy::Planner& p, const Spans& gradients, std::size_t /*index*/) {
    std::uint64_t shard = 0;
    for (const convoy::Range range : convoy::split({0, gradients.front().count}, shards)) {
      Spans spans = part_of_all(gradients, range);
      const auto turn = static_cast<std::ptrdiff_t>(shard++ * spans.size() / shards);
      std::rotate(spans.begin(), spans.begin() + turn, spans.end());
      p.all_reduce(spans, {.algorithm = algorithm});
    }
  };
}

}  // namespace convoy_strategies
