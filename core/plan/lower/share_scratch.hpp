#pragma once

#include <cstddef>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Maps the scratch memory of a lowered stage (its buffers after the first `common` ones) to equal
// scratch buffers of `whole`, which belong to other stages, because stages never run at the same
// time. The result has all buffers of `whole`, and more if these do not suffice.
Plan share_scratch(const Plan& whole, Plan stage, std::size_t common);

}  // namespace convoy::plan
