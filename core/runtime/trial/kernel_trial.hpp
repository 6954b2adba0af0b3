#pragma once

#include <string>

#include "core/plan/host_kernel.hpp"
#include "core/plan/plan.hpp"

namespace convoy::runtime {

// How long a kernel may take, in seconds that count (counted_seconds()). Only the kernel's calls
// count, not the work around them.
struct TrialTime {
  double each_call = 10;      // limit of a single call
  double all_calls = 10;      // no further call begins after this total
  double further_calls = 10;  // no call that finds only unusual faults begins after this total
};

struct KernelTrial {
  // What went wrong ("writes behind the end of persistent 3 (cpu:0)[0..64)"), or nothing.
  std::string problem;
  bool out_of_time = false;          // nothing went wrong so far, but not all calls were made
  bool other_in_later_step = false;  // the same reads gave other bytes in a later step
  double call_seconds = 0;           // total of the calls
  double longest_call = 0;           // the longest of the calls that returned
  double seconds = 0;                // computing time of the trial, with the work around the calls
};

// Calls a kernel as a plan's operation does, in a separate process, on memory of exactly the spans'
// sizes between protected guards: once with the end of every span at its guard, and once with the
// beginning. Spans that are only read are write-protected. The kernel is called again with the same
// values, and must give the same bytes. It is also called with other values in spans that are only
// written; then only elements that it does not write may differ. If all spans are floats, the
// declared sum (convoy_call_effect) is compared with the sum of the reads. Further calls use a
// later step with another learning rate, and very large and very small numbers; their sums are
// compared if they are finite. Not for calls that are too large, see too_large_to_try().
KernelTrial try_kernel(const plan::HostKernel& kernel, const plan::Plan& plan,
                       const plan::Operation& call, const TrialTime& time = {});

// Returns a text such as "8192 MiB of spans" if a trial of the call would take more than 4 GiB, or
// more than half of the available memory. Otherwise empty.
std::string too_large_to_try(const plan::Operation& call);

// Calls the kernel on such memory in this process, once with each end at a guard. An access outside
// the spans crashes. For a forked child process (PluginHost::try_first()). Does nothing if the
// spans have more than 64 MiB.
void call_guarded(const plan::HostKernel& kernel, const plan::Operation& call);

}  // namespace convoy::runtime
