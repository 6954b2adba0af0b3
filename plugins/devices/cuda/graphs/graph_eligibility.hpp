#pragma once

#include <cstdint>
#include <string>

namespace convoy::cuda {

enum class GraphMode { kOff, kOn };

// As the option says; "auto" is off until graphs were measured on a GPU. Throws
// std::invalid_argument for anything but auto, on and off.
GraphMode graph_mode(const std::string& option);

// For the user: what is replayed, and what forbids more. devices: of the process; profiled: whether
// the program was compiled to keep times of layers. Empty when graphs are off.
std::string graph_remark(GraphMode mode, std::uint32_t devices, bool profiled);

}  // namespace convoy::cuda
