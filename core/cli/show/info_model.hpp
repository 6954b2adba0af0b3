#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

#include "core/plugin/catalog.hpp"

namespace convoy::cli {

// Describes a model with its default options: data set, image size, batch, parameters, operations,
// and every layer with the shape of its output. Loads the plug-in and builds the model; if that
// fails, shows only the reason.
void print_model(const FoundPlugin& plugin, std::ostream& out);
nlohmann::ordered_json model_json(const FoundPlugin& plugin);

}  // namespace convoy::cli
