#pragma once

#include <iosfwd>
#include <string>

namespace convoy::cli {

// Whether `convoy info` was asked about a safetensors file rather than a plug-in.
bool names_tensor_file(const std::string& name);

// Metadata and tensors (name, type, shape, bytes) of a safetensors file. Error kFailed as
// SafetensorsFile gives it; a damaged checkpoint is said to be one.
void print_tensor_file(const std::string& path, bool json, std::ostream& out);

}  // namespace convoy::cli
