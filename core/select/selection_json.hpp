#pragma once

#include <nlohmann/json.hpp>

#include "core/select/decision.hpp"

namespace convoy::select {

nlohmann::ordered_json to_json(const Candidate& candidate);
nlohmann::ordered_json to_json(const Decision& decision);
// All candidates, the fastest first: state, predicted seconds, how far behind, bottleneck or
// reason.
nlohmann::ordered_json to_json(const Ranking& ranking);

// Backwards. Throws nlohmann::json::exception or Error for what is no such object.
Decision decision_from_json(const nlohmann::ordered_json& json);

}  // namespace convoy::select
