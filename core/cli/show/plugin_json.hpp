#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/plugin/catalog.hpp"

namespace convoy::cli {

// Everything a manifest says and where the plug-in is, for --json.
nlohmann::ordered_json to_json(const FoundPlugin& plugin);

}  // namespace convoy::cli
