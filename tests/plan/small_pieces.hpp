#pragma once

#include "core/plan/lower/lower.hpp"

namespace convoy::testing {

// Collectives and staging of small plans are in several pieces, too.
inline constexpr plan::LoweringOptions kSmallPieces{.staging_elements = 24, .slice_elements = 8};

}  // namespace convoy::testing
