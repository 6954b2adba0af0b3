#pragma once

#include <string>

#include "core/plan/host_kernel.hpp"
#include "core/plan/plan.hpp"

namespace convoy {

// Calls a kernel as a plan's operation does, in a process of its own, on memory of exactly the
// spans' sizes between guards that nobody may touch; once with the end of every span at its guard
// and once with the beginning. What the operation only reads cannot be written. It is called again
// with the same values, which must give the same bytes, and with other values in what it only
// writes, which must make no difference but where nothing is written. Of f32 spans, the sum that
// the operation declares (convoy_call_effect) is compared with the sum of what is read.
//
// Says what went wrong ("writes behind the end of persistent 3 (cpu:0)[0..64)"), or nothing. Up to
// 64 MiB; for larger spans it tries nothing.
std::string try_kernel(const HostKernel& kernel, const Plan& plan, const Operation& call);

// Calls it on such memory in this process, once with either end at a guard: what it touches
// elsewhere is a crash. For a copy of the process (PluginHost::try_first()). The same limit.
void call_guarded(const HostKernel& kernel, const Operation& call);

}  // namespace convoy
