#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/simulate/collectives/collective_model.hpp"
#include "core/simulate/collectives/ring_weight.hpp"
#include "core/simulate/machine/described_constants.hpp"
#include "core/simulate/machine/read_collective_library.hpp"

namespace convoy::testing {

inline const std::filesystem::path kShareFolder = CONVOY_SOURCE_DIR "/share";

// Collectives of a platform's devices.
class Collectives {
 public:
  // Of a library that chooses from these algorithms; none: NCCL's.
  Collectives(const std::string& platform, std::uint32_t hosts, std::uint32_t gpus,
              const std::vector<simulate::CollectiveAlgorithm>& algorithms = {})
      : catalogue_(topology::Catalogue::read(kShareFolder / "catalogue")),
        on_(make(platform, hosts, gpus)),
        library_(
            *simulate::read_collective_library(kShareFolder / "catalogue" / "collectives.json")),
        routes_(on_.machine, graph_),
        model_(on_.machine, library_, routes_, on_.cluster.replica_place) {
    for (const simulate::SimulatedLink& link : on_.machine.links)
      graph_.links.push_back({link.bytes_per_second, 0});
    if (!algorithms.empty()) library_.has = {};
    for (const simulate::CollectiveAlgorithm it : algorithms)
      library_.has[static_cast<std::size_t>(it)] = true;
  }

  simulate::CollectiveChoice choose(double bytes,
                                    plan::OperationKind kind = plan::OperationKind::kAllReduce,
                                    std::uint32_t algorithm = CONVOY_ALGORITHM_DEVICE) {
    return model_.choose(kind, algorithm, bytes);
  }
  double bus_rate(double bytes, std::uint32_t algorithm = CONVOY_ALGORITHM_DEVICE) {
    return bytes / choose(bytes, plan::OperationKind::kAllReduce, algorithm).seconds(bytes) *
           simulate::ring_weight(plan::OperationKind::kAllReduce, on_.cluster.replicas());
  }
  // What passes a link for each byte that all devices reduce.
  simulate::LinkShare over(const std::string& link, std::uint32_t algorithm) {
    constexpr double kLarge = 1e9;
    const simulate::CollectiveChoice choice =
        choose(kLarge, plan::OperationKind::kAllReduce, algorithm);
    for (const simulate::LinkShare& share : graph_.routes[choice.route])
      if (on_.machine.links[share.link].name == link) return share;
    return {simulate::kNone, 0, 0};
  }

 private:
  simulate::SimulatedCluster make(const std::string& name, std::uint32_t hosts,
                                  std::uint32_t gpus) const {
    const auto platform =
        topology::read_platform(kShareFolder / "platforms", name, hosts, catalogue_);
    return simulate::make_gpu_cluster(platform.machine, gpus,
                                      simulate::platform_constants(platform, catalogue_));
  }

  topology::Catalogue catalogue_;
  simulate::SimulatedCluster on_;
  simulate::CollectiveLibrary library_;
  simulate::TaskGraph graph_;
  simulate::RouteTable routes_;
  simulate::CollectiveModel model_;
};

}  // namespace convoy::testing
