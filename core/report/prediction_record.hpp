#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/report/timeline_record.hpp"

namespace convoy {

// What the simulator foresaw of the plan that a run executed.
struct PredictionRecord {
  struct Link {
    std::string name;
    double bytes = 0;        // per step
    double utilization = 0;  // of its capacity, over the step
    bool assumed = false;    // its rate
  };
  std::string machine;
  std::string rates;  // where the layers' times come from
  bool calibrated = false;
  double step_seconds = 0;
  double compute_seconds = 0;  // of the device that computes longest
  double exposed_seconds = 0;  // the rest of the step
  std::string bottleneck;
  std::vector<Link> links;  // those that carry anything, most loaded first
  TimelineRecord timeline;
};

nlohmann::ordered_json to_json(const PredictionRecord& prediction);
// The list "links"; simulations have it, too.
nlohmann::ordered_json to_json(const std::vector<PredictionRecord::Link>& links);

}  // namespace convoy
