#pragma once

#include <nlohmann/json.hpp>

#include "core/report/profile_record.hpp"

namespace convoy {

nlohmann::ordered_json to_json(const BreakdownRecord& breakdown);
nlohmann::ordered_json to_json(const ProfileRecord& profile);

}  // namespace convoy
