#pragma once

#include <cstddef>

#include "core/plan/plan.hpp"

namespace convoy {

// What a lowered stage has beside the first `common` buffers, which is scratch memory, put where
// `whole` has buffers alike for its other stages: stages never run at the same time. The result has
// all buffers of `whole`, and more where those do not do.
Plan share_scratch(const Plan& whole, Plan stage, std::size_t common);

}  // namespace convoy
