#pragma once

#include <convoy/planner.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "all_reduce_spec.hpp"

namespace convoy_strategies {

using Spans = std::vector<convoy::Span>;

// Writes down how the gradients of pack number `index`, one span per replica, become their sum in
// every span.
using Reducer = std::function<void(convoy::Planner& p, const Spans& gradients, std::size_t index)>;

inline void sum_at(convoy::Planner& p, std::uint32_t place, const Spans& gradients) {
  const convoy::Buffer total = p.scratch(place, gradients.front().count);
  p.sum(total, gradients);
  for (const convoy::Span& gradient : gradients) p.copy(gradient, total);
}

inline void reduce_on_host(convoy::Planner& p, const Spans& gradients, std::size_t /*index*/) {
  sum_at(p, p.host_place(0), gradients);
}

// Pack i on device i mod n.
inline void reduce_in_turn(convoy::Planner& p, const Spans& gradients, std::size_t index) {
  sum_at(p, p.replica_place(static_cast<std::uint32_t>(index % p.replica_count())), gradients);
}

inline Spans part_of_all(const Spans& spans, convoy::Range range) {
  Spans result;
  for (const convoy::Span& span : spans)
    result.push_back(convoy::part(span, range.first, range.count));
  return result;
}

// Devices in groups of `shards`, filled cyclically; pack t is cut over group t mod the groups. With
// a remainder some device appears twice.
inline Reducer sharded_on_devices(std::uint64_t shards) {
  return [shards](convoy::Planner& p, const Spans& gradients, std::size_t index) {
    const std::uint64_t devices = p.replica_count();
    const std::uint64_t groups = (devices + shards - 1) / shards;
    const std::uint64_t group = index % groups;
    std::uint64_t member = 0;
    for (const convoy::Range range : convoy::split({0, gradients.front().count}, shards)) {
      const std::uint64_t device = (group + member++ * groups) % devices;
      sum_at(p, p.replica_place(static_cast<std::uint32_t>(device)), part_of_all(gradients, range));
    }
  };
}

// `shards` collectives over parts of the pack, each with the devices rotated so that they start at
// different ones.
inline Reducer collective_reducer(std::uint32_t algorithm, std::uint64_t shards) {
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

inline Reducer spec_reducer(const convoy::Planner& p, const AllReduceRange& range) {
  const auto shards = static_cast<std::uint64_t>(range.shards);
  const std::string& algorithm = range.algorithm;
  const std::string spec = "all_reduce_spec " + algorithm;
  if (algorithm.find('/') != std::string::npos)
    p.refuse(spec + " reduces inside and between several hosts; here is one host");
  const std::uint64_t most = algorithm == "pscpu"        ? 1
                             : algorithm == "collective" ? 2
                             : algorithm == "nccl"       ? 1
                                                         : p.replica_count();
  if (shards > most)
    p.refuse(spec + "#" + std::to_string(shards) + ": at most " + std::to_string(most) +
             " shards on this cluster");
  if (algorithm == "pscpu") return reduce_on_host;
  if (algorithm == "psgpu") return sharded_on_devices(shards);
  if (algorithm == "xring") return collective_reducer(CONVOY_ALGORITHM_RING, shards);
  if (algorithm == "nccl" && std::string(p.place(p.replica_place(0)).name).rfind("cuda", 0) != 0)
    p.refuse("all_reduce_spec nccl needs CUDA devices; these are " +
             std::string(p.place(p.replica_place(0)).name) +
             " and so on: use all_reduce_spec=collective, their own all-reduce");
  return collective_reducer(CONVOY_ALGORITHM_DEVICE, shards);
}

// Two halves of devices, the first one larger by one when the number is odd. For every pack one
// main device per half sums its half; the mains exchange; each device copies from the main of its
// half.
inline Reducer hierarchical_reducer(const convoy::Planner& p, const std::string& topology) {
  const std::uint32_t devices = p.replica_count();
  if (devices < 2) p.refuse("hierarchical_copy needs at least 2 devices, here is 1");
  if (topology == "gcp_v100" && devices != 8)
    p.refuse("network_topology=gcp_v100 is for exactly 8 devices, here are " +
             std::to_string(devices));
  const bool fixed_pairs = topology == "gcp_v100";
  return [=](convoy::Planner& q, const Spans& gradients, std::size_t index) {
    const std::uint32_t half = (devices + 1) / 2;
    constexpr std::uint32_t kPairs[4][2] = {{0, 5}, {2, 7}, {5, 0}, {7, 2}};
    std::uint32_t first = static_cast<std::uint32_t>(index % devices);
    std::uint32_t second = first < half ? half + first % (devices - half) : first - half;
    if (fixed_pairs) {
      first = kPairs[index % 4][0];
      second = kPairs[index % 4][1];
    }
    const auto lower = gradients.begin();
    const auto middle = gradients.begin() + half;
    const Spans own = first < half ? Spans(lower, middle) : Spans(middle, gradients.end());
    const Spans other = first < half ? Spans(middle, gradients.end()) : Spans(lower, middle);
    const std::uint64_t count = gradients.front().count;
    const convoy::Buffer total = q.scratch(q.replica_place(first), count);
    const convoy::Buffer partial = q.scratch(q.replica_place(second), count);
    q.sum(total, own);
    q.sum(partial, other);
    q.add(total, total, partial);
    q.copy(partial, total);
    for (const convoy::Span& gradient : own) q.copy(gradient, total);
    for (const convoy::Span& gradient : other) q.copy(gradient, partial);
  };
}

}  // namespace convoy_strategies
