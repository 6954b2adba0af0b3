#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/plan/operation.hpp"

namespace convoy::testing {

// One published run of nccl-tests: which machine, and the bus bandwidth by size.
struct CollectiveLog {
  struct Row {
    double bytes = 0;
    double bus_bytes_per_second = 0;
  };
  std::string machine;
  std::string platform;
  std::uint32_t hosts = 1;
  std::uint32_t gpus_per_host = 1;
  std::uint32_t gpus_per_process = 1;
  plan::OperationKind collective = plan::OperationKind::kAllReduce;
  std::uint32_t algorithm = CONVOY_ALGORITHM_DEVICE;
  std::string library;
  std::string source;
  bool held_out = false;  // no constant was fitted to it
  double bar = 0.15;      // error allowed from 64 MB on
  std::vector<Row> rows;
  std::set<std::uint64_t> known_misses;  // MiB, where the bar is missed
  std::string why_missed;                // what the log leaves open or the model leaves out
};

// collective_logs.json of this folder.
std::vector<CollectiveLog> read_collective_logs();

// What the simulator foresees of a row.
struct ForeseenCollective {
  std::string way;  // "ring, LL128, 12 channels"
  double bus_bytes_per_second = 0;
  double error = 0;  // of the published one
  double bar = 0;
};

std::vector<ForeseenCollective> foresee(const CollectiveLog& log);

}  // namespace convoy::testing
