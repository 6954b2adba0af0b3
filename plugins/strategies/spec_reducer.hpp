#pragma once

#include <convoy/planner.hpp>

#include <cstdint>
#include <string>

#include "all_reduce_spec.hpp"
#include "gradient_reducers.hpp"

namespace convoy_strategies {

// In how many parts an algorithm can reduce a pack: host memory is one place here, the devices' own
// all-reduce has one or two rings, all else at most one part per device.
inline std::uint64_t most_shards(const convoy::Planner& p, const std::string& algorithm) {
  if (algorithm == "pscpu" || algorithm == "nccl") return 1;
  if (algorithm == "collective") return 2;
  return p.replica_count();
}

inline Reducer spec_reducer(const convoy::Planner& p, const AllReduceRange& range) {
  const auto shards = static_cast<std::uint64_t>(range.shards);
  const std::string& algorithm = range.algorithm;
  const std::string spec = "all_reduce_spec " + algorithm;
  if (algorithm.find('/') != std::string::npos)
    p.refuse(spec +
             " reduces inside and between several hosts; here is one host: name pscpu, psgpu, "
             "xring or collective");
  const std::uint64_t most = most_shards(p, algorithm);
  if (shards > most)
    p.refuse(spec + "#" + std::to_string(shards) + ": at most " + std::to_string(most) +
             " shards on this cluster; ask for fewer");
  if (algorithm == "pscpu") return reduce_on_host;
  if (algorithm == "psgpu") return sharded_on_devices(shards);
  if (algorithm == "xring") return collective_reducer(CONVOY_ALGORITHM_RING, shards);
  const std::string device = p.place(p.replica_place(0)).name;
  if (algorithm == "nccl" && device.rfind("cuda", 0) != 0)
    p.refuse(spec + " needs CUDA devices, the first one here is " + device +
             "; use all_reduce_spec=collective, the devices' own all-reduce");
  return collective_reducer(CONVOY_ALGORITHM_DEVICE, shards);
}

}  // namespace convoy_strategies
