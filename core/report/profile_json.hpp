#pragma once

#include <nlohmann/json.hpp>

#include "core/report/profile_record.hpp"

namespace convoy {

nlohmann::ordered_json to_json(const BreakdownRecord& breakdown);
// Back from that. Throws nlohmann::json::exception for anything else.
BreakdownRecord read_breakdown(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const ProfileRecord& profile);

}  // namespace convoy
