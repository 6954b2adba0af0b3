#pragma once

#include <nlohmann/json.hpp>

#include "core/select/decision.hpp"

namespace convoy::select {

nlohmann::ordered_json to_json(const Candidate& candidate);
nlohmann::ordered_json to_json(const Decision& decision);
// Lists all candidates, the fastest first: state, predicted seconds, distance to the best,
// bottleneck or reason.
nlohmann::ordered_json to_json(const Ranking& ranking);

// Reads a decision. Throws nlohmann::json::exception or Error for anything else.
Decision decision_from_json(const nlohmann::ordered_json& json);

}  // namespace convoy::select
