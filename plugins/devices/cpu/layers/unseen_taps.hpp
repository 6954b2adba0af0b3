#pragma once

#include <convoy/abi.h>

#include <vector>

#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// Returns for every tap of a convolution's filter, row by row, whether it is outside the image at
// every position of the filter, such as the outer taps of a 5x5 filter on an image of 2x2. Its
// gradient is zero. Empty when there is no such tap.
std::vector<bool> unseen_taps(const convoy_node& node, const convoy_node& input);

// Writes zeros for those taps, including the padding of blocks. Rows and columns of the filter are
// the last two dimensions, and no layout has blocks of them.
void clear_taps(const std::vector<bool>& taps, const BlockedLayout& layout, float* gradient);

}  // namespace convoy::cpu
