#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace convoy::calibrate {

// These functions convert between kinds of layers (convoy_layer_kind, or 0 for none) or passes
// (convoy_pass) and their names in files.
std::string layer_kind_name(std::uint32_t kind);
std::optional<std::uint32_t> layer_kind_of(const std::string& name);
std::string pass_name(std::uint32_t pass);
std::optional<std::uint32_t> pass_of(const std::string& name);

}  // namespace convoy::calibrate
