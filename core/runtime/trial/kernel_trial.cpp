#include "core/runtime/trial/kernel_trial.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <new>

#include "core/base/error.hpp"
#include "core/base/process/clocks.hpp"
#include "core/base/process/end_with_parent.hpp"
#include "core/base/system/memory_limit.hpp"
#include "core/base/system/system_root.hpp"
#include "core/runtime/trial/call_watch.hpp"
#include "core/runtime/trial/trial_calls.hpp"
#include "core/runtime/trial/trial_spans.hpp"

namespace convoy::runtime {
namespace {

// The most memory for the spans and a copy of those that are written. Enough for arenas of half a
// GiB with three reads.
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;
constexpr std::uint64_t kMostGuardedBytes = std::uint64_t{64} << 20;

std::string in_words(const TrialEnd& end, const std::string& span, FencedMemory::Side at_guard) {
  switch (end.outcome) {
    case TrialOutcome::kRight:
    case TrialOutcome::kOutOfTime:
      return "";
    case TrialOutcome::kDied:
      return "ends the process";
    case TrialOutcome::kRefused:
      return "returns an error";
    case TrialOutcome::kElsewhere:
      return "reads or writes memory outside its spans";
    case TrialOutcome::kOutside:
      return fmt::format(
          "reads or writes {} {}",
          at_guard == FencedMemory::Side::kEnd ? "behind the end of" : "before the start of", span);
    case TrialOutcome::kWroteRead:
      return fmt::format("writes {}, which the call only reads; list it among the writes, too",
                         span);
    case TrialOutcome::kOtherResult:
      return fmt::format(
          "writes other bytes to {} when it is called again with the same values; what a kernel "
          "remembers belongs into a persistent buffer that the call reads and writes",
          span);
    case TrialOutcome::kReadWrite:
      return fmt::format("reads {}, which the call only writes; list it among the reads, too",
                         span);
    case TrialOutcome::kOtherSum:
      return fmt::format("writes to {} what is not the sum of the reads, as the call declares it",
                         span);
  }
  return "";
}

// Returns what was unusual about the call.
std::string circumstances(const TriedCall& call) {
  if (call.step > 0)
    return fmt::format(", in step {} with learning rate {:g}", call.step, call.learning_rate);
  if (call.exponent > 0) return ", when it reads large numbers";
  return call.exponent < 0 ? ", when it reads tiny numbers" : "";
}

// How the process of a trial ended.
struct ProcessEnd {
  int status = 0;
  bool was_late = false;
};

std::string problem_of(const ProcessEnd& process, const TrialEnd& end, const plan::Plan& plan,
                       const TrialSpans& spans, FencedMemory::Side at_guard,
                       const TrialTime& time) {
  std::string problem;
  if (process.was_late)
    problem = fmt::format("does not return within {:g} seconds", time.each_call);
  else if (WIFSIGNALED(process.status))
    problem = fmt::format("ends with signal {}", WTERMSIG(process.status));
  else
    problem =
        in_words(end, spans.all().empty() ? "" : plan.span_name(spans[end.span].span), at_guard);
  return problem.empty() ? problem : problem + circumstances(end.call);
}

// Runs the trial in a child process. Returns how the process ended, and adds its computing time.
ProcessEnd run_trial(const plan::HostKernel& kernel, const plan::Operation& call, TrialSpans& spans,
                     TrialEnd& end, FencedMemory::Side at_guard, const TrialTime& time,
                     double& seconds) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) fail(ExitCode::kUnavailable, "no process to try a kernel in");
  if (child == 0) {
    end_with_parent(parent);
    TrialCalls(kernel, call, spans).run(end, time, at_guard == FencedMemory::Side::kBegin);
  }
  rusage used{};
  CallWatch watch(child, end.calls, time.each_call);
  const int status = watch.wait(used);
  seconds += processor_seconds_of(used);
  return {status, watch.was_late()};
}

}  // namespace

std::string too_large_to_try(const plan::Operation& call) {
  std::uint64_t copies = 0;
  for (const plan::PlanSpan& span : call.writes)
    copies += span.count * plan::dtype_bytes(span.dtype);
  const std::uint64_t bytes = bytes_of_spans(call);
  static const std::uint64_t kMost =
      std::min(kMostBytes, available_memory(SystemRoot("/")).value_or(2 * kMostBytes) / 2);
  return bytes + copies <= kMost ? "" : fmt::format("{} MiB of spans", bytes >> 20);
}

KernelTrial try_kernel(const plan::HostKernel& kernel, const plan::Plan& plan,
                       const plan::Operation& call, const TrialTime& time) {
  KernelTrial result;
  void* const shared =
      mmap(nullptr, sizeof(TrialEnd), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail(ExitCode::kUnavailable, "no memory to try a kernel in");
  const auto unmap = [](TrialEnd* it) { munmap(it, sizeof(TrialEnd)); };
  const std::unique_ptr<TrialEnd, decltype(unmap)> end(new (shared) TrialEnd, unmap);
  for (const auto at_guard : {FencedMemory::Side::kEnd, FencedMemory::Side::kBegin}) {
    TrialSpans spans(call, at_guard);
    *end = {.call_seconds = end->call_seconds, .longest_call = end->longest_call};
    const ProcessEnd process = run_trial(kernel, call, spans, *end, at_guard, time, result.seconds);
    result.call_seconds = end->call_seconds;
    result.longest_call = end->longest_call;
    result.problem = problem_of(process, *end, plan, spans, at_guard, time);
    result.other_in_later_step = result.other_in_later_step || end->other_in_later_step;
    result.out_of_time = result.problem.empty() && end->outcome == TrialOutcome::kOutOfTime;
    if (!result.problem.empty() || result.out_of_time) break;
  }
  return result;
}

void call_guarded(const plan::HostKernel& kernel, const plan::Operation& call) {
  if (bytes_of_spans(call) > kMostGuardedBytes) return;
  for (const auto at_guard : {FencedMemory::Side::kEnd, FencedMemory::Side::kBegin}) {
    TrialSpans spans(call, at_guard);
    TrialCalls(kernel, call, spans).call_once();
  }
}

}  // namespace convoy::runtime
