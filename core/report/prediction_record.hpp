#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/report/timeline_record.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::report {

// The simulator's prediction for the plan that a run executed.
struct PredictionRecord {
  std::string machine;
  std::string rates;  // the origin of the layers' times
  bool calibrated = false;
  simulate::SimulationResult step;
  // Links of the machine; step.links are indices into them.
  std::vector<simulate::SimulatedLink> links;
  TimelineRecord timeline;
};

nlohmann::ordered_json to_json(const PredictionRecord& prediction);
// Returns the load of these links in a step: the list "links", which simulations have, too.
nlohmann::ordered_json to_json(const std::vector<simulate::LinkLoad>& loads,
                               const std::vector<simulate::SimulatedLink>& links);

}  // namespace convoy::report
