#pragma once

#include <cstdint>
#include <string>

namespace convoy::cuda {

enum class GraphMode { kOff, kOn };

// Parses the option; "auto" is off until graphs were measured on a GPU. Throws
// std::invalid_argument for anything but auto, on and off.
GraphMode graph_mode(const std::string& option);

// Returns a remark for the user: what is replayed, and what prevents more. devices: of the process;
// profiled: whether the program was compiled to keep times of layers. Empty when graphs are off.
std::string graph_remark(GraphMode mode, std::uint32_t devices, bool profiled);

}  // namespace convoy::cuda
