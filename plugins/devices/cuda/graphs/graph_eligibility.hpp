#pragma once

#include <string>
#include <vector>

namespace convoy::cuda {

enum class GraphMode { kOff, kOn };

// As the option says; "auto" is off until graphs were measured on a GPU. Throws
// std::invalid_argument for anything but auto, on and off.
GraphMode graph_mode(const std::string& option);

// Why the work of each segment of a pass cannot be replayed; empty: it can.
using Obstacles = std::vector<std::string>;

// For the user: how many of the operations of a step are replayed, and what forbids the others.
std::string replay_remark(const Obstacles& forward, const Obstacles& backward);

}  // namespace convoy::cuda
