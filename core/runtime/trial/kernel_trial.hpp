#pragma once

#include <string>

#include "core/plan/host_kernel.hpp"
#include "core/plan/plan.hpp"

namespace convoy::runtime {

// How long a kernel may take, in seconds that count (counted_seconds()). Only its calls count, not
// what is around them.
struct TrialTime {
  double each_call = 10;      // a call that takes longer does not return
  double all_calls = 10;      // when they took so long, no other call begins
  double further_calls = 10;  // nor, when they took so long, one that only unusual faults need
};

struct KernelTrial {
  // What went wrong ("writes behind the end of persistent 3 (cpu:0)[0..64)"), or nothing.
  std::string problem;
  bool out_of_time = false;          // nothing went wrong so far, but not all calls were made
  bool other_in_later_step = false;  // the same reads gave other bytes
  double call_seconds = 0;           // of the calls
  double longest_call = 0;           // of the calls that returned
  double seconds = 0;                // that the trial computed, with what is around the calls
};

// Calls a kernel as a plan's operation does, in a separate process, on memory of exactly the spans'
// sizes between protected guards: once with the end of every span at its guard and once with the
// beginning. Spans that are only read are write-protected. The kernel is called again with the same
// values; the bytes must be the same. It is also called with other values in spans that are only
// written; only elements that it does not write may differ. Where all spans are floats, the
// declared sum (convoy_call_effect) is compared with the sum of the reads. Further calls are those
// of a later step with another learning rate, and calls with very large and very small numbers,
// whose sums are compared where they are finite. Not for calls that are too large.
KernelTrial try_kernel(const plan::HostKernel& kernel, const plan::Plan& plan,
                       const plan::Operation& call, const TrialTime& time = {});

// "8192 MiB of spans" where a trial of the call would take more than 4 GiB, or more than half of
// the memory that is available, or nothing.
std::string too_large_to_try(const plan::Operation& call);

// Calls it on such memory in this process, once with each end at a guard; an access outside the
// spans crashes. For a forked child process (PluginHost::try_first()). Does nothing where the spans
// have more than 64 MiB.
void call_guarded(const plan::HostKernel& kernel, const plan::Operation& call);

}  // namespace convoy::runtime
