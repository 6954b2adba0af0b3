#pragma once

#include <convoy/abi.h>

namespace convoy::cpu {

// write <- read in the write's dtype, rounded to nearest even. Between the two 16-bit types the
// value passes through f32. The regions must not overlap unless they are the same and of one dtype.
void cast(const convoy_region& read, const convoy_region& write);

}  // namespace convoy::cpu
