#include "core/report/prediction_record.hpp"

#include <nlohmann/json.hpp>

namespace convoy {

nlohmann::ordered_json to_json(const std::vector<PredictionRecord::Link>& links) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const PredictionRecord::Link& link : links)
    list.push_back({{"link", link.name},
                    {"bytes_per_step", link.bytes},
                    {"utilization", link.utilization},
                    {"rate_assumed", link.assumed}});
  return list;
}

nlohmann::ordered_json to_json(const PredictionRecord& prediction) {
  return {{"machine", prediction.machine},
          {"rates", prediction.rates},
          {"calibrated", prediction.calibrated},
          {"step_seconds", prediction.step_seconds},
          {"compute_seconds", prediction.compute_seconds},
          {"exposed_seconds", prediction.exposed_seconds},
          {"bottleneck", prediction.bottleneck},
          {"links", to_json(prediction.links)},
          {"timeline", to_json(prediction.timeline)}};
}

}  // namespace convoy
