#include "core/runtime/kernel_trial.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "core/base/error.hpp"
#include "core/runtime/fenced_memory.hpp"

namespace convoy {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr unsigned kSeconds = 10;
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
};

// How the child ended, in memory that it shares with its parent.
struct TrialEnd {
  Outcome outcome;
  std::size_t span;
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
  *trial_end = {outcome, span};
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
  alarm(kSeconds);
}

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

// Calls one kernel several times, in a process that ends with what it finds.
class Trial {
 public:
  Trial(const HostKernel& kernel, const Operation& call, std::vector<TriedSpan>& spans)
      : kernel_(kernel),
        call_(call),
        spans_(spans),
        reads_(indices_of(call.reads)),
        writes_(indices_of(call.writes)) {}

  // In a single call, for which only addresses matter. Whether the kernel says that it succeeded.
  bool call_once() {
    fill(0);
    return kernel_.call(call_, regions(reads_), regions(writes_), 0, kTriedRate) == 0;
  }

  [[noreturn]] void run_once() { end_with(call_once() ? Outcome::kRight : Outcome::kRefused); }

  [[noreturn]] void run() {
    fill(0);
    const std::vector<Bytes> before = contents();
    call_kernel();
    const std::vector<Bytes> after = contents();
    compare_sums(before, after);
    fill(0);
    call_kernel();
    for (const std::size_t i : writes_)
      if (!holds(i, after[i])) end_with(Outcome::kOtherResult, i);
    fill(1);
    const std::vector<Bytes> others_before = contents();
    call_kernel();
    for (const std::size_t i : writes_) compare_written(i, before[i], after[i], others_before[i]);
    end_with(Outcome::kRight);
  }

 private:
  using Bytes = std::string;

  std::vector<std::size_t> indices_of(const SpanList& list) const {
    std::vector<std::size_t> result;
    for (const PlanSpan& span : list) {
      std::size_t i = 0;
      while (!same_span(spans_[i].span, span)) ++i;
      result.push_back(i);
    }
    return result;
  }

  // Numbers such as gradients are, other ones in every span; other types stay zero. `variant`
  // changes what is only written.
  void fill(unsigned variant) {
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      TriedSpan& it = spans_[i];
      it.memory.allow_writes(true);
      const unsigned changed = it.read ? 0 : variant;
      if (it.span.dtype == CONVOY_F32) {
        constexpr std::size_t kNumbers = 13;
        std::size_t number = (3 * i + 5 * changed) % kNumbers;
        auto* const values = reinterpret_cast<float*>(it.memory.data());
        for (std::uint64_t k = 0; k < it.span.count; ++k) {
          values[k] = 0.01f * static_cast<float>(number) - 0.05f;
          number = number + 1 == kNumbers ? 0 : number + 1;
        }
      } else {
        std::memset(it.memory.data(), changed == 0 ? 0 : 0x11, it.memory.bytes());
      }
      it.memory.allow_writes(it.written);
    }
  }

  Bytes bytes_of(std::size_t span) const {
    const FencedMemory& memory = spans_[span].memory;
    return {reinterpret_cast<const char*>(memory.data()), memory.bytes()};
  }
  bool holds(std::size_t span, const Bytes& bytes) const {
    return std::memcmp(spans_[span].memory.data(), bytes.data(), bytes.size()) == 0;
  }
  std::vector<Bytes> contents() const {
    std::vector<Bytes> result;
    for (std::size_t i = 0; i < spans_.size(); ++i) result.push_back(bytes_of(i));
    return result;
  }

  std::vector<convoy_region> regions(const std::vector<std::size_t>& indices) const {
    std::vector<convoy_region> result;
    for (const std::size_t i : indices) {
      const TriedSpan& it = spans_[i];
      result.push_back({it.memory.data(), it.span.count, it.span.dtype, call_.place});
    }
    return result;
  }

  void call_kernel() const {
    if (kernel_.call(call_, regions(reads_), regions(writes_), 0, kTriedRate) != 0)
      end_with(Outcome::kRefused);
  }

  // Elements that a call does not write may differ; written elements must not depend on earlier
  // contents.
  void compare_written(std::size_t span, const Bytes& before, const Bytes& after,
                       const Bytes& other_before) const {
    if (holds(span, after)) return;
    const Bytes other_after = bytes_of(span);
    const std::size_t size = dtype_bytes(spans_[span].span.dtype);
    const auto same = [&](const Bytes& a, const Bytes& b, std::size_t at) {
      return std::memcmp(a.data() + at, b.data() + at, size) == 0;
    };
    for (std::size_t at = 0; at < after.size(); at += size) {
      const bool left_alone = same(before, after, at) && same(other_before, other_after, at);
      if (!left_alone && !same(after, other_after, at)) end_with(Outcome::kReadWrite, span);
    }
  }

  // Checks the sums that SUMS and KEEPS_REST declare, up to f32 rounding.
  void compare_sums(const std::vector<Bytes>& before, const std::vector<Bytes>& after) const {
    const auto is_f32 = [](const TriedSpan& it) { return it.span.dtype == CONVOY_F32; };
    const bool each = call_.effect == CONVOY_CALL_SUMS;
    if ((!each && call_.effect != CONVOY_CALL_KEEPS_REST) ||
        !std::all_of(spans_.begin(), spans_.end(), is_f32))
      return;
    for (std::uint64_t k = 0; k < call_.reads.front().count; ++k) {
      const Sum wanted = sum_of(reads_, before, k);
      if (!each && differ(wanted, sum_of(writes_, after, k)))
        end_with(Outcome::kOtherSum, writes_.front());
      for (const std::size_t i : writes_)
        if (each && differ(wanted, sum_of(std::array{i}, after, k)))
          end_with(Outcome::kOtherSum, i);
    }
  }

  struct Sum {
    double value = 0;
    double size = 0;  // the sum of the magnitudes
  };
  template <typename Indices>
  static Sum sum_of(const Indices& indices, const std::vector<Bytes>& from, std::uint64_t element) {
    Sum sum;
    for (const std::size_t i : indices) {
      float value;
      std::memcpy(&value, from[i].data() + element * sizeof(value), sizeof(value));
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

bool is_too_large(const std::vector<TriedSpan>& spans) {
  std::uint64_t bytes = 0;
  for (const TriedSpan& it : spans) bytes += it.memory.bytes();
  return bytes > kMostBytes;
}

std::string in_words(const TrialEnd& end, const std::string& span, FencedMemory::Side at_guard) {
  switch (end.outcome) {
    case Outcome::kRight:
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
                       const std::vector<TriedSpan>& spans, FencedMemory::Side at_guard) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return fmt::format("does not return within {} seconds", kSeconds);
  if (WIFSIGNALED(status)) return fmt::format("ends with signal {}", WTERMSIG(status));
  const std::string span = spans.empty() ? "" : plan.span_name(spans[end.span].span);
  return in_words(end, span, at_guard);
}

}  // namespace

std::string try_kernel(const HostKernel& kernel, const Plan& plan, const Operation& call) {
  void* const shared =
      mmap(nullptr, sizeof(TrialEnd), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail(ExitCode::kUnavailable, "no memory to try a kernel in");
  const auto unmap = [](TrialEnd* it) { munmap(it, sizeof(TrialEnd)); };
  const std::unique_ptr<TrialEnd, decltype(unmap)> end(static_cast<TrialEnd*>(shared), unmap);
  for (const auto at_guard : {FencedMemory::Side::kEnd, FencedMemory::Side::kBegin}) {
    std::vector<TriedSpan> spans = spans_of(call, at_guard);
    if (is_too_large(spans)) return "";
    *end = {Outcome::kDied, 0};
    const pid_t child = fork();
    if (child < 0) fail(ExitCode::kUnavailable, "no process to try a kernel in");
    if (child == 0) {
      tried_spans = &spans;
      trial_end = end.get();
      catch_wrong_addresses();
      Trial trial(kernel, call, spans);
      at_guard == FencedMemory::Side::kEnd ? trial.run() : trial.run_once();
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    std::string problem = problem_of(status, *end, plan, spans, at_guard);
    if (!problem.empty()) return problem;
  }
  return "";
}

void call_guarded(const HostKernel& kernel, const Operation& call) {
  for (const auto at_guard : {FencedMemory::Side::kEnd, FencedMemory::Side::kBegin}) {
    std::vector<TriedSpan> spans = spans_of(call, at_guard);
    if (is_too_large(spans)) return;
    Trial(kernel, call, spans).call_once();
  }
}

}  // namespace convoy
