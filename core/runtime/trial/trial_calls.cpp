#include "core/runtime/trial/trial_calls.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstring>

#include "core/runtime/trial/call_time.hpp"

namespace convoy::runtime {
namespace {

// The calls after those that every trial makes: one of a later step, and some with values of other
// magnitudes.
constexpr TriedCall kFurtherCalls[] = {
    {.step = 9999, .learning_rate = 0.003}, {.exponent = 20}, {.exponent = -20}};

// Used by the signal handler of the child, which tries one kernel and ends.
const TrialSpans* tried_spans = nullptr;
TrialEnd* trial_end = nullptr;

[[noreturn]] void end_with(TrialOutcome outcome, std::size_t span = 0) {
  trial_end->outcome = outcome;
  trial_end->span = span;
  _exit(0);
}

void end_with_address(int, siginfo_t* info, void*) {
  for (std::size_t i = 0; i < tried_spans->all().size(); ++i) {
    const FencedMemory& memory = (*tried_spans)[i].memory;
    if (memory.holds(info->si_addr))
      end_with(memory.guards(info->si_addr) ? TrialOutcome::kOutside : TrialOutcome::kWroteRead, i);
  }
  end_with(TrialOutcome::kElsewhere);
}

void catch_wrong_addresses() {
  struct sigaction action {};
  action.sa_sigaction = end_with_address;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

void TrialCalls::call_once() {
  spans_.fill(0, 0);
  call_filled({});
}

void TrialCalls::run(TrialEnd& end, const TrialTime& time, bool only_first) noexcept {
  tried_spans = &spans_;
  trial_end = &end;
  catch_wrong_addresses();
  if (only_first) {
    call_in_time({}, time);
  } else {
    call_further(time, compare_calls(time));
  }
  end_with(TrialOutcome::kRight);
}

// Returns what the first call wrote, by write.
std::vector<TrialCalls::Bytes> TrialCalls::compare_calls(const TrialTime& time) {
  call_in_time({}, time);
  compare_sums({});
  std::vector<Bytes> after;
  for (const std::size_t i : spans_.writes()) after.push_back(bytes_of(i));
  call_in_time({}, time);
  for (std::size_t w = 0; w < after.size(); ++w)
    if (!holds(spans_.writes()[w], after[w]))
      end_with(TrialOutcome::kOtherResult, spans_.writes()[w]);
  call_in_time({.variant = 1}, time);
  for (std::size_t w = 0; w < after.size(); ++w) compare_written(spans_.writes()[w], after[w]);
  return after;
}

// A kernel may return an error for numbers that it cannot represent, but not for a step.
void TrialCalls::call_further(const TrialTime& time, const std::vector<Bytes>& at_first) {
  for (const TriedCall& how : kFurtherCalls) {
    if (trial_end->call_seconds >= std::min(time.further_calls, time.all_calls)) return;
    if (!call_in_time(how, time)) continue;
    compare_sums(how);
    for (std::size_t w = 0; how.step > 0 && w < at_first.size(); ++w)
      if (!holds(spans_.writes()[w], at_first[w])) trial_end->other_in_later_step = true;
  }
}

std::int32_t TrialCalls::call_filled(const TriedCall& how) const {
  const auto regions = [&](const std::vector<std::size_t>& indices) {
    std::vector<convoy_region> result;
    for (const std::size_t i : indices) {
      const TrialSpans::Tried& it = spans_[i];
      result.push_back({it.memory.data(), it.span.count, it.span.dtype, call_.place});
    }
    return result;
  };
  return kernel_.call(call_, regions(spans_.reads()), regions(spans_.writes()), how.step,
                      how.learning_rate);
}

// Returns whether the call returned no error. Only calls use up the time, so that large spans leave
// as many calls as small ones.
bool TrialCalls::call_in_time(const TriedCall& how, const TrialTime& time) {
  if (trial_end->call_seconds >= time.all_calls) end_with(TrialOutcome::kOutOfTime);
  trial_end->call = how;
  spans_.fill(how.variant, how.exponent);
  const std::atomic_ref<std::uint64_t> calls(trial_end->calls);
  const ProcessTime begin = time_of(getpid());
  ++calls;
  const std::int32_t status = call_filled(how);
  ++calls;
  const double seconds = counted_seconds(begin, time_of(getpid()));
  trial_end->call_seconds += seconds;
  trial_end->longest_call = std::max(trial_end->longest_call, seconds);
  if (status != 0 && how.exponent == 0) end_with(TrialOutcome::kRefused);
  return status == 0;
}

TrialCalls::Bytes TrialCalls::bytes_of(std::size_t span) const {
  const FencedMemory& memory = spans_[span].memory;
  return {memory.data(), memory.data() + memory.bytes()};
}

bool TrialCalls::holds(std::size_t span, const Bytes& bytes) const {
  return std::memcmp(spans_[span].memory.data(), bytes.data(), bytes.size()) == 0;
}

// Elements that a call does not write may differ; written elements must not depend on earlier
// contents. `after` has the contents after the call with variant 0; memory has those after the call
// with variant 1.
void TrialCalls::compare_written(std::size_t span, const Bytes& after) const {
  if (holds(span, after)) return;
  const std::byte* const other_after = spans_[span].memory.data();
  const std::size_t size = plan::dtype_bytes(spans_[span].span.dtype);
  for (std::uint64_t k = 0; k < spans_[span].span.count; ++k) {
    const std::byte* const a = after.data() + k * size;
    const std::byte* const b = other_after + k * size;
    const bool left_alone = spans_.is_filled(span, 0, k, a) && spans_.is_filled(span, 1, k, b);
    if (!left_alone && std::memcmp(a, b, size) != 0) end_with(TrialOutcome::kReadWrite, span);
  }
}

// Checks the sums that SUMS and KEEPS_REST declare, up to rounding. For SUMS, the coarsest type of
// the spans determines the precision; for KEEPS_REST, the type of the rest, because the rest takes
// up what the other write rounds off.
void TrialCalls::compare_sums(const TriedCall& how) const {
  const bool each = call_.details->effect == CONVOY_CALL_SUMS;
  if ((!each && call_.details->effect != CONVOY_CALL_KEEPS_REST) || !spans_.are_floats()) return;
  const auto precision = [&](std::size_t span) { return precision_of(spans_[span].span.dtype); };
  double coarsest = 0;
  for (const std::size_t i : spans_.reads()) coarsest = std::max(coarsest, precision(i));
  std::vector<std::vector<std::size_t>> sums;
  if (each)
    for (const std::size_t i : spans_.writes()) sums.push_back({i});
  else
    sums.push_back(spans_.writes());
  for (const std::vector<std::size_t>& sum : sums) {
    const double of_writes = precision(sum.back());
    const std::vector<ReadSum> read = sums_of_reads();
    for (std::uint64_t k = 0; k < call_.reads.front().count; ++k)
      if (!is_sum(k, read[k % read.size()], sum, each ? std::max(coarsest, of_writes) : of_writes,
                  how.exponent == 0))
        end_with(TrialOutcome::kOtherSum, sum.front());
  }
}

// The numbers that spans are filled with repeat, and so do their sums.
std::vector<TrialCalls::ReadSum> TrialCalls::sums_of_reads() const {
  std::vector<ReadSum> result(TrialSpans::kNumbers);
  for (std::uint64_t k = 0; k < result.size(); ++k)
    for (const std::size_t i : spans_.reads()) {
      const float value = spans_.filled_number(i, k);
      result[k].sum += value;
      result[k].magnitudes += std::fabs(value);
    }
  return result;
}

// A sum of numbers of unusual size may be too large for the types that a kernel computes in.
bool TrialCalls::is_sum(std::uint64_t element, const ReadSum& read,
                        const std::vector<std::size_t>& writes, double precision,
                        bool must_be_finite) const {
  double difference = -read.sum;
  double size = read.magnitudes;
  for (const std::size_t i : writes) {
    const float value = spans_.number(i, element);
    difference += value;
    size += std::fabs(value);
  }
  if (!std::isfinite(difference)) return !must_be_finite;
  const auto terms = static_cast<double>(spans_.reads().size() + spans_.writes().size());
  return std::fabs(difference) <= terms * precision * size;
}

}  // namespace convoy::runtime
