#pragma once

#include <string>

#include "core/plan/host_kernel.hpp"
#include "core/plan/plan.hpp"

namespace convoy {

// Calls a kernel as a plan's operation does, in a process of its own, on memory of exactly the
// spans' sizes between pages that nobody may touch; once with the end of every span at such a page
// and once with the beginning. Says what went wrong ("writes behind the end of persistent 3
// (cpu:0)[0..64)"), or nothing. Up to 64 MiB; for larger spans it tries nothing.
std::string try_kernel(const HostKernel& kernel, const Plan& plan, const Operation& call);

}  // namespace convoy
