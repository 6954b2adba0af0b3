#pragma once

#include <nlohmann/json.hpp>

#include "core/report/run_record.hpp"

namespace convoy {

// Ordered, so that files read from the general to the particular and compare line by line.
nlohmann::ordered_json step_json(const StepRecord& step);

// Everything but the steps.
nlohmann::ordered_json summary_json(const RunRecord& record);

}  // namespace convoy
