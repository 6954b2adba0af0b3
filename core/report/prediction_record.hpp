#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/report/timeline_record.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::report {

// What the simulator foresaw of the plan that a run executed.
struct PredictionRecord {
  std::string machine;
  std::string rates;  // where the layers' times come from
  bool calibrated = false;
  simulate::SimulationResult step;
  std::vector<simulate::SimulatedLink> links;  // of the machine: step.links are indices into them
  TimelineRecord timeline;
};

nlohmann::ordered_json to_json(const PredictionRecord& prediction);
// What a step loads these links with: the list "links", which simulations have, too.
nlohmann::ordered_json to_json(const std::vector<simulate::LinkLoad>& loads,
                               const std::vector<simulate::SimulatedLink>& links);

}  // namespace convoy::report
