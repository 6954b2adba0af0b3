#pragma once

#include <convoy/planner.hpp>

#include <cstdint>
#include <string>

#include "all_reduce_spec.hpp"
#include "gradient_reducers.hpp"
#include "two_level_reducer.hpp"
#include "workers.hpp"

namespace convoy_strategies {

// Returns the most parts in which an algorithm can reduce a pack. With pscpu, every host's memory
// is one place. The devices' own all-reduce has one or two rings. All other algorithms have at most
// one part per device.
inline std::uint64_t most_shards(const convoy::Planner& p, const std::string& algorithm) {
  if (algorithm == "pscpu") return workers_of(p).size();
  if (algorithm == "nccl") return 1;
  if (algorithm == "collective") return 2;
  return p.replica_count();
}

inline Reducer on_hosts(const convoy::Planner& p, std::uint64_t shards) {
  return [workers = workers_of(p), shards](convoy::Planner& planner, const Spans& gradients,
                                           std::size_t index) {
    reduce_on_hosts(planner, workers, gradients, shards, index);
  };
}

// Uses the devices' own all-reduce. Between hosts that it does not span, one device of each host
// takes part.
inline Reducer own_all_reduce(const convoy::Planner& p, std::uint64_t shards) {
  return collective_reducer(
      has_network(p) ? convoy::Algorithm::kTwoLevel : convoy::Algorithm::kDevice, shards);
}

inline void require_nccl(const convoy::Planner& p) {
  const auto first = p.place(device(p, 0));
  if (first.name.starts_with("cuda")) return;
  p.refuse("all_reduce_spec nccl needs CUDA devices, the first one here is " + first.name +
           "; name --device=cuda, or use all_reduce_spec=collective, the devices' own all-reduce");
}

inline Reducer spec_reducer(const convoy::Planner& p, const AllReduceRange& range) {
  const auto shards = static_cast<std::uint64_t>(range.shards);
  const std::string& algorithm = range.algorithm;
  const std::string spec = "all_reduce_spec " + algorithm;
  if (algorithm.find('/') != std::string::npos) {
    if (has_network(p)) return TwoLevelReducer(p, algorithm, shards);
    p.refuse(spec +
             " reduces inside and between several hosts; here is one host: name pscpu, psgpu, "
             "xring or collective");
  }
  const std::uint64_t most = most_shards(p, algorithm);
  if (shards > most)
    p.refuse(spec + "#" + std::to_string(shards) + ": at most " + std::to_string(most) +
             " shards on this cluster; ask for fewer");
  if (algorithm == "pscpu") return on_hosts(p, shards);
  if (algorithm == "psgpu") return sharded_on_devices(shards);
  if (algorithm == "xring") return collective_reducer(convoy::Algorithm::kRing, shards);
  if (algorithm == "nccl") {
    require_nccl(p);
    return collective_reducer(convoy::Algorithm::kDeviceOnly, shards);
  }
  return own_all_reduce(p, shards);
}

}  // namespace convoy_strategies
