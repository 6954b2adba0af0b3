#include "core/report/prediction_record.hpp"

#include <nlohmann/json.hpp>

namespace convoy::report {

nlohmann::ordered_json to_json(const std::vector<simulate::LinkLoad>& loads,
                               const std::vector<simulate::SimulatedLink>& links) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const simulate::LinkLoad& load : loads)
    list.push_back({{"link", links[load.link].name},
                    {"bytes_per_step", load.bytes},
                    {"utilization", load.utilization},
                    {"rate_assumed", links[load.link].assumed}});
  return list;
}

nlohmann::ordered_json to_json(const PredictionRecord& prediction) {
  return {{"machine", prediction.machine},
          {"rates", prediction.rates},
          {"calibrated", prediction.calibrated},
          {"step_seconds", prediction.step.step_seconds},
          {"compute_seconds", prediction.step.compute_seconds},
          {"exposed_seconds", prediction.step.exposed_seconds},
          {"bottleneck", prediction.step.bottleneck},
          {"links", to_json(prediction.step.links, prediction.links)},
          {"timeline", to_json(prediction.timeline)}};
}

}  // namespace convoy::report
