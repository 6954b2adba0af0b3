#pragma once

#include <convoy/abi.h>

#include <vector>

#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// For every tap of a convolution's filter, row by row, whether it is beside the image at all places
// of the filter, as the outer taps of a 5x5 filter are on an image of 2x2. Its gradient is zero.
// Empty when there is no such tap.
std::vector<bool> unseen_taps(const convoy_node& node, const convoy_node& input);

// Writes zeros for those taps, padding of blocks included. Columns and rows of the filter are the
// last two dimensions, of which no layout has blocks.
void clear_taps(const std::vector<bool>& taps, const BlockedLayout& layout, float* gradient);

}  // namespace convoy::cpu
