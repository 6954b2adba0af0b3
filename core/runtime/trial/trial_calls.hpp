#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/host_kernel.hpp"
#include "core/runtime/trial/kernel_trial.hpp"
#include "core/runtime/trial/trial_spans.hpp"

namespace convoy::runtime {

// How a trial of a kernel ended.
enum class TrialOutcome {
  kDied,  // before it reported anything else
  kRight,
  kRefused,
  kOutside,      // accessed memory outside of a span
  kElsewhere,    // accessed memory that belongs to no span
  kWroteRead,    // wrote a span that it only reads
  kOtherResult,  // gave another result when called again with the same values
  kReadWrite,    // read a span that it only writes
  kOtherSum,     // wrote another sum than it declares
  kOutOfTime,    // ran out of time before all calls were made
};

// The ways in which calls of one kernel on the same spans may differ.
struct TriedCall {
  unsigned variant = 0;  // the variant in TrialSpans::fill()
  int exponent = 0;
  std::uint64_t step = 0;
  double learning_rate = 0.1;
};

// How the child ended, in memory that it shares with its parent.
struct TrialEnd {
  TrialOutcome outcome = TrialOutcome::kDied;
  std::size_t span = 0;
  TriedCall call = {};               // the last call
  bool other_in_later_step = false;  // the same reads gave other bytes in a later step
  double call_seconds = 0;
  double longest_call = 0;  // in seconds
  std::uint64_t calls = 0;  // the calls' beginnings and ends (CallWatch)
};

// Calls one kernel several times.
class TrialCalls {
 public:
  TrialCalls(const plan::HostKernel& kernel, const plan::Operation& call, TrialSpans& spans)
      : kernel_(kernel), call_(call), spans_(spans) {}

  // Makes a single call, for which only addresses matter.
  void call_once();

  // Makes all calls, or only the first one, in a process that ends with the result. Writes the
  // result to `end`.
  [[noreturn]] void run(TrialEnd& end, const TrialTime& time, bool only_first) noexcept;

 private:
  using Bytes = std::vector<std::byte>;

  std::int32_t call_filled(const TriedCall& how) const;
  bool call_in_time(const TriedCall& how, const TrialTime& time);
  std::vector<Bytes> compare_calls(const TrialTime& time);
  void call_further(const TrialTime& time, const std::vector<Bytes>& at_first);
  Bytes bytes_of(std::size_t span) const;
  bool holds(std::size_t span, const Bytes& bytes) const;
  void compare_written(std::size_t span, const Bytes& after) const;
  void compare_sums(const TriedCall& how) const;
  struct ReadSum {
    double sum = 0;
    double magnitudes = 0;  // the sum of the magnitudes
  };
  std::vector<ReadSum> sums_of_reads() const;
  bool is_sum(std::uint64_t element, const ReadSum& read, const std::vector<std::size_t>& writes,
              double precision, bool must_be_finite) const;

  const plan::HostKernel& kernel_;
  const plan::Operation& call_;
  TrialSpans& spans_;
};

}  // namespace convoy::runtime
