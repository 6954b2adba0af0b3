#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

#include "core/plugin/catalog.hpp"

namespace convoy {

// What a model is, with its default options: data set, image size, batch, parameters, operations
// and every layer with its output's shape. Loads the plug-in and lets it describe itself; when that
// fails, only the reason is shown.
void print_model(const FoundPlugin& plugin, std::ostream& out);
nlohmann::ordered_json model_json(const FoundPlugin& plugin);

}  // namespace convoy
