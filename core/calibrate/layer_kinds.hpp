#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace convoy::calibrate {

// The names in files of kinds of layers (convoy_layer_kind, or 0 for none) and of passes
// (convoy_pass).
std::string layer_kind_name(std::uint32_t kind);
std::optional<std::uint32_t> layer_kind_of(const std::string& name);
std::string pass_name(std::uint32_t pass);
std::optional<std::uint32_t> pass_of(const std::string& name);

}  // namespace convoy::calibrate
