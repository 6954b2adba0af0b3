#include "tests/simulate/collective_logs.hpp"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
#include "core/simulate/collectives/collective_model.hpp"
#include "core/simulate/collectives/ring_weight.hpp"
#include "core/simulate/machine/described_constants.hpp"
#include "core/simulate/machine/read_collective_library.hpp"

namespace convoy::testing {
namespace {

constexpr double kMebibyte = 1 << 20;
constexpr double kFromHere = 64 * kMebibyte;
constexpr double kBarBelow = 0.25;

plan::OperationKind kind_of(const std::string& name) {
  static const std::map<std::string, plan::OperationKind> kKinds = {
      {"all_reduce", plan::OperationKind::kAllReduce},
      {"all_gather", plan::OperationKind::kAllGather},
      {"reduce_scatter", plan::OperationKind::kReduceScatter},
      {"broadcast", plan::OperationKind::kBroadcast},
      {"reduce", plan::OperationKind::kReduce}};
  return kKinds.at(name);
}

// A name of share/platforms, or the path of a file of this folder's platforms.
std::string platform_of(const std::string& name) {
  const bool is_file = name.ends_with(".json");
  return is_file ? CONVOY_SOURCE_DIR "/tests/simulate/platforms/" + name : name;
}

CollectiveLog log_of(const nlohmann::json& json) {
  CollectiveLog log;
  log.machine = json.at("machine");
  log.platform = json.at("platform");
  log.hosts = json.at("hosts");
  log.gpus_per_host = json.at("gpus_per_host");
  log.gpus_per_process = json.at("gpus_per_process");
  log.collective = kind_of(json.at("collective"));
  if (json.contains("algorithm"))
    log.algorithm = json.at("algorithm") == "tree" ? CONVOY_ALGORITHM_TREE : CONVOY_ALGORITHM_RING;
  log.library = json.at("library");
  log.source = json.at("source");
  log.held_out = json.at("held_out");
  log.bar = json.at("bar_percent").get<double>() / 100;
  for (const auto& row : json.at("bus_bandwidth"))
    log.rows.push_back({row.at(0).get<double>() * kMebibyte, row.at(1).get<double>() * 1e9});
  for (const auto& size : json.at("known_misses"))
    log.known_misses.insert(size.get<std::uint64_t>());
  log.why_missed = json.value("why_missed", "");
  return log;
}

}  // namespace

std::vector<CollectiveLog> read_collective_logs() {
  std::ifstream file(CONVOY_SOURCE_DIR "/tests/simulate/collective_logs.json");
  const nlohmann::json document = parse_json(file);
  std::vector<CollectiveLog> logs;
  for (const nlohmann::json& log : document.at("logs")) logs.push_back(log_of(log));
  return logs;
}

std::vector<ForeseenCollective> foresee(const CollectiveLog& log) {
  const std::filesystem::path share = CONVOY_SOURCE_DIR "/share";
  const auto catalogue = topology::Catalogue::read(share / "catalogue");
  const auto platform =
      topology::read_platform(share / "platforms", platform_of(log.platform), log.hosts, catalogue);
  const simulate::SimulatedCluster on = simulate::make_gpu_cluster(
      platform.machine, log.gpus_per_host, simulate::platform_constants(platform, catalogue));
  simulate::CollectiveLibrary library =
      *simulate::read_collective_library(share / "catalogue" / "collectives.json");
  // The log says how many devices a process has, not the machine.
  library.launch_seconds_per_device *=
      log.gpus_per_process /
      std::min<double>(log.gpus_per_host, on.machine.hosts.front().devices_per_process);
  simulate::TaskGraph graph;
  for (const simulate::SimulatedLink& link : on.machine.links)
    graph.links.push_back({link.bytes_per_second, 0});
  simulate::RouteTable routes(on.machine, graph);
  simulate::CollectiveModel model(on.machine, library, routes, on.cluster.replica_place);
  std::vector<ForeseenCollective> result;
  for (const CollectiveLog::Row& row : log.rows) {
    const simulate::CollectiveChoice choice =
        model.choose(log.collective, log.algorithm, row.bytes);
    ForeseenCollective it;
    it.way = simulate::text(choice);
    it.bus_bytes_per_second = row.bytes / choice.seconds(row.bytes) *
                              simulate::ring_weight(log.collective, on.cluster.replicas());
    it.error = it.bus_bytes_per_second / row.bus_bytes_per_second - 1;
    it.bar = row.bytes < kFromHere ? kBarBelow : log.bar;
    result.push_back(it);
  }
  return result;
}

}  // namespace convoy::testing
