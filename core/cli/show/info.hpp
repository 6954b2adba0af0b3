#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/plugin/catalog.hpp"

// The output of `convoy info`.
namespace convoy::cli {

// Returns all that a manifest says and where the plug-in is, for --json.
nlohmann::ordered_json to_json(const plugin::FoundPlugin& plugin);

// Describes a model with its default options: data set, image size, batch, parameters, operations,
// and every layer with the shape of its output. Loads the plug-in and builds the model; if that
// fails, shows only the reason.
void print_model(const plugin::FoundPlugin& plugin, std::ostream& out);
nlohmann::ordered_json model_json(const plugin::FoundPlugin& plugin);

// Returns whether `convoy info` is asked about a safetensors file rather than a plug-in.
bool names_tensor_file(const std::string& name);

// Prints the metadata and tensors (name, type, shape, bytes) of a safetensors file. Error kFailed
// as SafetensorsFile gives it; the error says if the file is a damaged checkpoint.
void print_tensor_file(const std::string& path, bool json, std::ostream& out);

}  // namespace convoy::cli
