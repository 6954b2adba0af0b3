#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/plugin/catalog.hpp"

// What `convoy info` shows.
namespace convoy::cli {

// Everything a manifest says and where the plug-in is, for --json.
nlohmann::ordered_json to_json(const plugin::FoundPlugin& plugin);

// Describes a model with its default options: data set, image size, batch, parameters, operations,
// and every layer with the shape of its output. Loads the plug-in and builds the model; if that
// fails, shows only the reason.
void print_model(const plugin::FoundPlugin& plugin, std::ostream& out);
nlohmann::ordered_json model_json(const plugin::FoundPlugin& plugin);

// Whether `convoy info` was asked about a safetensors file rather than a plug-in.
bool names_tensor_file(const std::string& name);

// Metadata and tensors (name, type, shape, bytes) of a safetensors file. Error kFailed as
// SafetensorsFile gives it; a damaged checkpoint is said to be one.
void print_tensor_file(const std::string& path, bool json, std::ostream& out);

}  // namespace convoy::cli
