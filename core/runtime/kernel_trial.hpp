#pragma once

#include <string>

#include "core/plan/host_kernel.hpp"
#include "core/plan/plan.hpp"

namespace convoy {

// Calls a kernel as a plan's operation does, in a separate process, on memory of exactly the spans'
// sizes between protected guards: once with the end of every span at its guard and once with the
// beginning. Spans that are only read are write-protected. The kernel is called again with the same
// values; the bytes must be the same. It is also called with other values in spans that are only
// written; only elements that it does not write may differ. For f32 spans, the declared sum
// (convoy_call_effect) is compared with the sum of the reads.
//
// Says what went wrong ("writes behind the end of persistent 3 (cpu:0)[0..64)"), or nothing. Up to
// 64 MiB; for larger spans it tries nothing.
std::string try_kernel(const HostKernel& kernel, const Plan& plan, const Operation& call);

// Calls it on such memory in this process, once with each end at a guard; an access outside the
// spans crashes. For a forked child process (PluginHost::try_first()). The same limit.
void call_guarded(const HostKernel& kernel, const Operation& call);

}  // namespace convoy
