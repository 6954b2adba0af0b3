#include "core/runtime/kernel_trial.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "core/base/end_with_parent.hpp"
#include "core/base/error.hpp"
#include "core/base/memory_limit.hpp"
#include "core/base/system_root.hpp"
#include "core/runtime/fenced_memory.hpp"

namespace convoy {
namespace {

// Of the spans and of a copy of what is written. Enough for arenas of half a GiB with three reads.
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;
constexpr std::uint64_t kMostGuardedBytes = std::uint64_t{64} << 20;
constexpr double kTriedRate = 0.1;  // learning rate of the call

enum class Outcome {
  kDied,  // before it could say more
  kRight,
  kRefused,
  kOutside,      // of a span
  kElsewhere,    // memory that is no span's
  kWroteRead,    // a span that it only reads
  kOtherResult,  // when called again with the same values
  kReadWrite,    // a span that it only writes
  kOtherSum,     // than it declares
  kOutOfTime,    // before all calls were made
};

// How the child ended, in memory that it shares with its parent.
struct TrialEnd {
  Outcome outcome;
  std::size_t span;
  double call_seconds;
};

struct TriedSpan {
  PlanSpan span;
  bool read = false, written = false;
  FencedMemory memory;
};

// For the signal handler of the child, which tries one kernel and ends.
const std::vector<TriedSpan>* tried_spans = nullptr;
TrialEnd* trial_end = nullptr;

[[noreturn]] void end_with(Outcome outcome, std::size_t span = 0) {
  trial_end->outcome = outcome;
  trial_end->span = span;
  _exit(0);
}

void end_with_address(int, siginfo_t* info, void*) {
  for (std::size_t i = 0; i < tried_spans->size(); ++i) {
    const FencedMemory& memory = (*tried_spans)[i].memory;
    if (memory.holds(info->si_addr))
      end_with(memory.guards(info->si_addr) ? Outcome::kOutside : Outcome::kWroteRead, i);
  }
  end_with(Outcome::kElsewhere);
}

void catch_wrong_addresses() {
  struct sigaction action {};
  action.sa_sigaction = end_with_address;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  std::signal(SIGALRM, SIG_DFL);
}

// The process ends by SIGALRM after so many seconds; 0: it does not.
void set_alarm(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// What spans are filled with: numbers such as gradients are.
constexpr std::array<float, 13> kNumbers = [] {
  std::array<float, 13> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = 0.01f * static_cast<float>(i) - 0.05f;
  return numbers;
}();

// The spans of the call, each once: a kernel may write what it reads.
std::vector<TriedSpan> spans_of(const Operation& call, FencedMemory::Side at_guard) {
  std::vector<TriedSpan> spans;
  const auto entry = [&](const PlanSpan& span) -> TriedSpan& {
    for (TriedSpan& it : spans)
      if (same_span(it.span, span)) return it;
    return spans.emplace_back(
        TriedSpan{span, false, false, {span.count * dtype_bytes(span.dtype), at_guard}});
  };
  for (const PlanSpan& span : call.reads) entry(span).read = true;
  for (const PlanSpan& span : call.writes) entry(span).written = true;
  return spans;
}

// Calls one kernel several times. After the constructor, all but call_once() are for a process that
// ends with what it finds.
class Trial {
 public:
  Trial(const HostKernel& kernel, const Operation& call, std::vector<TriedSpan>& spans)
      : kernel_(kernel),
        call_(call),
        spans_(spans),
        reads_(indices_of(call.reads)),
        writes_(indices_of(call.writes)) {}

  // In a single call, for which only addresses matter.
  std::int32_t call_once() {
    fill(0);
    return call_filled();
  }

  [[noreturn]] void run_once(const TrialTime& time) noexcept {
    call_in_time(0, time);
    end_with(Outcome::kRight);
  }

  [[noreturn]] void run(const TrialTime& time) noexcept {
    call_in_time(0, time);
    compare_sums();
    std::vector<Bytes> after;
    for (const std::size_t i : writes_) after.push_back(bytes_of(i));
    call_in_time(0, time);
    for (std::size_t w = 0; w < writes_.size(); ++w)
      if (!holds(writes_[w], after[w])) end_with(Outcome::kOtherResult, writes_[w]);
    call_in_time(1, time);
    for (std::size_t w = 0; w < writes_.size(); ++w) compare_written(writes_[w], after[w]);
    end_with(Outcome::kRight);
  }

 private:
  using Bytes = std::vector<std::byte>;

  std::vector<std::size_t> indices_of(const SpanList& list) const {
    std::vector<std::size_t> result;
    for (const PlanSpan& span : list) {
      std::size_t i = 0;
      while (!same_span(spans_[i].span, span)) ++i;
      result.push_back(i);
    }
    return result;
  }

  // Other numbers in every span; types other than f32 stay zero. `variant` changes what is only
  // written.
  void fill(unsigned variant) {
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      TriedSpan& it = spans_[i];
      it.memory.allow_writes(true);
      if (it.span.dtype == CONVOY_F32) {
        std::size_t number = first_number(i, variant);
        auto* const values = reinterpret_cast<float*>(it.memory.data());
        for (std::uint64_t k = 0; k < it.span.count; ++k) {
          values[k] = kNumbers[number];
          number = number + 1 == kNumbers.size() ? 0 : number + 1;
        }
      } else {
        std::memset(it.memory.data(), filled_byte(i, variant), it.memory.bytes());
      }
      it.memory.allow_writes(it.written);
    }
  }
  std::size_t first_number(std::size_t span, unsigned variant) const {
    return (3 * span + 5 * (spans_[span].read ? 0 : variant)) % kNumbers.size();
  }
  float filled_number(std::size_t span, unsigned variant, std::uint64_t element) const {
    return kNumbers[(first_number(span, variant) + element) % kNumbers.size()];
  }
  int filled_byte(std::size_t span, unsigned variant) const {
    return spans_[span].read || variant == 0 ? 0 : 0x11;
  }
  // Whether these are the bytes that fill() gives the element.
  bool is_filled(std::size_t span, unsigned variant, std::uint64_t element,
                 const std::byte* bytes) const {
    if (spans_[span].span.dtype == CONVOY_F32) {
      const float number = filled_number(span, variant, element);
      return std::memcmp(bytes, &number, sizeof(number)) == 0;
    }
    const auto byte = static_cast<std::byte>(filled_byte(span, variant));
    return std::all_of(bytes, bytes + dtype_bytes(spans_[span].span.dtype),
                       [byte](std::byte it) { return it == byte; });
  }

  Bytes bytes_of(std::size_t span) const {
    const FencedMemory& memory = spans_[span].memory;
    return {memory.data(), memory.data() + memory.bytes()};
  }
  bool holds(std::size_t span, const Bytes& bytes) const {
    return std::memcmp(spans_[span].memory.data(), bytes.data(), bytes.size()) == 0;
  }

  std::vector<convoy_region> regions(const std::vector<std::size_t>& indices) const {
    std::vector<convoy_region> result;
    for (const std::size_t i : indices) {
      const TriedSpan& it = spans_[i];
      result.push_back({it.memory.data(), it.span.count, it.span.dtype, call_.place});
    }
    return result;
  }

  std::int32_t call_filled() const {
    return kernel_.call(call_, regions(reads_), regions(writes_), 0, kTriedRate);
  }

  // Only the calls take of the time, so that large spans leave as many calls as small ones.
  void call_in_time(unsigned variant, const TrialTime& time) {
    using Clock = std::chrono::steady_clock;
    if (trial_end->call_seconds >= time.all_calls) end_with(Outcome::kOutOfTime);
    fill(variant);
    const Clock::time_point start = Clock::now();
    set_alarm(time.each_call);
    const std::int32_t status = call_filled();
    set_alarm(0);
    trial_end->call_seconds += std::chrono::duration<double>(Clock::now() - start).count();
    if (status != 0) end_with(Outcome::kRefused);
  }

  // Elements that a call does not write may differ; written elements must not depend on earlier
  // contents. `after` is what the call left of variant 0; now memory has what it left of variant 1.
  void compare_written(std::size_t span, const Bytes& after) const {
    if (holds(span, after)) return;
    const std::byte* const other_after = spans_[span].memory.data();
    const std::size_t size = dtype_bytes(spans_[span].span.dtype);
    for (std::uint64_t k = 0; k < spans_[span].span.count; ++k) {
      const std::byte* const a = after.data() + k * size;
      const std::byte* const b = other_after + k * size;
      const bool left_alone = is_filled(span, 0, k, a) && is_filled(span, 1, k, b);
      if (!left_alone && std::memcmp(a, b, size) != 0) end_with(Outcome::kReadWrite, span);
    }
  }

  // Checks the sums that SUMS and KEEPS_REST declare, up to f32 rounding, after a call with
  // variant 0.
  void compare_sums() const {
    const auto is_f32 = [](const TriedSpan& it) { return it.span.dtype == CONVOY_F32; };
    const bool each = call_.effect == CONVOY_CALL_SUMS;
    if ((!each && call_.effect != CONVOY_CALL_KEEPS_REST) ||
        !std::all_of(spans_.begin(), spans_.end(), is_f32))
      return;
    const auto was = [&](std::size_t i, std::uint64_t k) { return filled_number(i, 0, k); };
    const auto is = [&](std::size_t i, std::uint64_t k) {
      return reinterpret_cast<const float*>(spans_[i].memory.data())[k];
    };
    for (std::uint64_t k = 0; k < call_.reads.front().count; ++k) {
      const Sum wanted = sum_of(reads_, was, k);
      if (!each && differ(wanted, sum_of(writes_, is, k)))
        end_with(Outcome::kOtherSum, writes_.front());
      for (const std::size_t i : writes_)
        if (each && differ(wanted, sum_of(std::array{i}, is, k))) end_with(Outcome::kOtherSum, i);
    }
  }

  struct Sum {
    double value = 0;
    double size = 0;  // the sum of the magnitudes
  };
  template <typename Indices, typename NumberOf>
  static Sum sum_of(const Indices& indices, const NumberOf& number_of, std::uint64_t element) {
    Sum sum;
    for (const std::size_t i : indices) {
      const float value = number_of(i, element);
      sum.value += value;
      sum.size += std::fabs(value);
    }
    return sum;
  }
  bool differ(const Sum& a, const Sum& b) const {
    const double rounding =
        static_cast<double>(reads_.size() + writes_.size()) * std::numeric_limits<float>::epsilon();
    return !(std::fabs(a.value - b.value) <= rounding * (a.size + b.size));
  }

  const HostKernel& kernel_;
  const Operation& call_;
  std::vector<TriedSpan>& spans_;
  std::vector<std::size_t> reads_, writes_;  // indices of spans
};

// Of each span once.
std::uint64_t bytes_of_spans(const Operation& call) {
  std::vector<PlanSpan> spans;
  std::uint64_t bytes = 0;
  for (const SpanList* list : {&call.reads, &call.writes})
    for (const PlanSpan& span : *list) {
      if (std::any_of(spans.begin(), spans.end(),
                      [&](const PlanSpan& it) { return same_span(it, span); }))
        continue;
      spans.push_back(span);
      bytes += span.count * dtype_bytes(span.dtype);
    }
  return bytes;
}

std::string in_words(const TrialEnd& end, const std::string& span, FencedMemory::Side at_guard) {
  switch (end.outcome) {
    case Outcome::kRight:
    case Outcome::kOutOfTime:
      return "";
    case Outcome::kDied:
      return "ends the process";
    case Outcome::kRefused:
      return "returns an error";
    case Outcome::kElsewhere:
      return "reads or writes memory that nobody gave it";
    case Outcome::kOutside:
      return fmt::format(
          "reads or writes {} {}",
          at_guard == FencedMemory::Side::kEnd ? "behind the end of" : "before the start of", span);
    case Outcome::kWroteRead:
      return fmt::format("writes {}, which the call only reads; list it among the writes, too",
                         span);
    case Outcome::kOtherResult:
      return fmt::format(
          "writes other bytes to {} when it is called again with the same values; what a kernel "
          "remembers belongs into a persistent buffer that the call reads and writes",
          span);
    case Outcome::kReadWrite:
      return fmt::format("reads {}, which the call only writes; list it among the reads, too",
                         span);
    case Outcome::kOtherSum:
      return fmt::format("writes to {} what is not the sum of the reads that the call declares",
                         span);
  }
  return "";
}

std::string problem_of(int status, const TrialEnd& end, const Plan& plan,
                       const std::vector<TriedSpan>& spans, FencedMemory::Side at_guard,
                       const TrialTime& time) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return fmt::format("does not return within {:g} seconds", time.each_call);
  if (WIFSIGNALED(status)) return fmt::format("ends with signal {}", WTERMSIG(status));
  const std::string span = spans.empty() ? "" : plan.span_name(spans[end.span].span);
  return in_words(end, span, at_guard);
}

// In a child process. How that ends.
int run_trial(const HostKernel& kernel, const Operation& call, std::vector<TriedSpan>& spans,
              FencedMemory::Side at_guard, const TrialTime& time) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) fail(ExitCode::kUnavailable, "no process to try a kernel in");
  if (child == 0) {
    end_with_parent(parent);
    tried_spans = &spans;
    catch_wrong_addresses();
    Trial trial(kernel, call, spans);
    at_guard == FencedMemory::Side::kEnd ? trial.run(time) : trial.run_once(time);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

std::string too_large_to_try(const Operation& call) {
  std::uint64_t copies = 0;
  for (const PlanSpan& span : call.writes) copies += span.count * dtype_bytes(span.dtype);
  const std::uint64_t bytes = bytes_of_spans(call);
  static const std::uint64_t kMost =
      std::min(kMostBytes, available_memory(SystemRoot("/")).value_or(2 * kMostBytes) / 2);
  return bytes + copies <= kMost ? "" : fmt::format("{} MiB of spans", bytes >> 20);
}

KernelTrial try_kernel(const HostKernel& kernel, const Plan& plan, const Operation& call,
                       const TrialTime& time) {
  KernelTrial result;
  void* const shared =
      mmap(nullptr, sizeof(TrialEnd), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail(ExitCode::kUnavailable, "no memory to try a kernel in");
  const auto unmap = [](TrialEnd* it) { munmap(it, sizeof(TrialEnd)); };
  const std::unique_ptr<TrialEnd, decltype(unmap)> end(static_cast<TrialEnd*>(shared), unmap);
  trial_end = end.get();
  for (const auto at_guard : {FencedMemory::Side::kEnd, FencedMemory::Side::kBegin}) {
    std::vector<TriedSpan> spans = spans_of(call, at_guard);
    end->outcome = Outcome::kDied;
    const int status = run_trial(kernel, call, spans, at_guard, time);
    result.call_seconds = end->call_seconds;
    result.problem = problem_of(status, *end, plan, spans, at_guard, time);
    result.out_of_time = result.problem.empty() && end->outcome == Outcome::kOutOfTime;
    if (!result.problem.empty() || result.out_of_time) break;
  }
  return result;
}

void call_guarded(const HostKernel& kernel, const Operation& call) {
  if (bytes_of_spans(call) > kMostGuardedBytes) return;
  for (const auto at_guard : {FencedMemory::Side::kEnd, FencedMemory::Side::kBegin}) {
    std::vector<TriedSpan> spans = spans_of(call, at_guard);
    Trial(kernel, call, spans).call_once();
  }
}

}  // namespace convoy
