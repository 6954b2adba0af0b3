#include "core/runtime/kernel_trial.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <vector>

#include "core/base/error.hpp"

namespace convoy {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr unsigned kSeconds = 10;
constexpr double kTriedRate = 0.1;  // learning rate of the call
constexpr int kTouchedGuard = 64;   // exit status; plus the index of the span
constexpr int kOtherFault = 63;
constexpr int kRefused = 62;

// Memory of one span between two guard pages.
struct Fenced {
  std::byte* page = nullptr;  // the first guard
  std::uint64_t bytes = 0;    // guards included
  std::byte* data = nullptr;
  std::uint64_t data_bytes = 0;
};

// For the signal handler of the child, which runs one kernel and ends.
const std::vector<Fenced>* fenced_spans = nullptr;

std::uint64_t page_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void end_with_span(int, siginfo_t* info, void*) {
  const auto* address = static_cast<const std::byte*>(info->si_addr);
  for (std::size_t i = 0; i < fenced_spans->size(); ++i) {
    const Fenced& it = (*fenced_spans)[i];
    if (address >= it.page && address < it.page + it.bytes)
      _exit(kTouchedGuard + static_cast<int>(std::min<std::size_t>(i, 127)));
  }
  _exit(kOtherFault);
}

Fenced fence(const PlanSpan& span, bool at_end) {
  const std::uint64_t data_bytes = span.count * dtype_bytes(span.dtype);
  const std::uint64_t page = page_bytes();
  const std::uint64_t inside = (data_bytes + page - 1) / page * page;
  Fenced result{nullptr, inside + 2 * page, nullptr, data_bytes};
  void* memory =
      mmap(nullptr, result.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fail(ExitCode::kUnavailable, "no memory to try a kernel in");
  result.page = static_cast<std::byte*>(memory);
  mprotect(result.page + page, inside, PROT_READ | PROT_WRITE);
  result.data = result.page + page + (at_end ? inside - data_bytes : 0);
  // Numbers such as gradients are; other types stay zero.
  if (span.dtype == CONVOY_F32)
    for (std::uint64_t i = 0; i < span.count; ++i)
      reinterpret_cast<float*>(result.data)[i] = 0.01f * static_cast<float>(i % 7) - 0.02f;
  return result;
}

// The spans of the call, each once: a kernel may write what it reads.
std::vector<PlanSpan> different_spans(const Operation& call) {
  std::vector<PlanSpan> spans;
  for (const auto* list : {&call.reads, &call.writes})
    for (const PlanSpan& span : *list)
      if (std::none_of(spans.begin(), spans.end(),
                       [&](const PlanSpan& it) { return same_span(it, span); }))
        spans.push_back(span);
  return spans;
}

[[noreturn]] void run_in_child(const HostKernel& kernel, const Operation& call,
                               const std::vector<PlanSpan>& spans,
                               const std::vector<Fenced>& memory) {
  struct sigaction action {};
  action.sa_sigaction = end_with_span;
  action.sa_flags = SA_SIGINFO;
  fenced_spans = &memory;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  std::signal(SIGALRM, SIG_DFL);
  alarm(kSeconds);
  const auto regions = [&](const auto& list) {
    std::vector<convoy_region> result;
    for (const PlanSpan& span : list)
      for (std::size_t i = 0; i < spans.size(); ++i)
        if (same_span(spans[i], span))
          result.push_back({memory[i].data, span.count, span.dtype, call.place});
    return result;
  };
  const std::vector<convoy_region> reads = regions(call.reads);
  const std::vector<convoy_region> writes = regions(call.writes);
  convoy_submission submission{};
  submission.struct_size = sizeof(submission);
  submission.learning_rate = kTriedRate;
  submission.scalar = call.scalar;
  submission.sizes = call.sizes;
  submission.reads = reads.data();
  submission.read_count = reads.size();
  submission.writes = writes.data();
  submission.write_count = writes.size();
  kernel.enter(submission);
  const std::int32_t status = run_kernel(submission);
  _exit(status == 0 ? 0 : kRefused);
}

std::string what_went_wrong(int status, const Plan& plan, const std::vector<PlanSpan>& spans,
                            bool at_end) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return fmt::format("does not return within {} seconds", kSeconds);
  if (WIFSIGNALED(status)) return fmt::format("ends with signal {}", WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  if (code == 0) return "";
  if (code == kRefused) return "returns an error";
  if (code < kTouchedGuard || static_cast<std::size_t>(code - kTouchedGuard) >= spans.size())
    return "reads or writes memory that nobody gave it";
  return fmt::format("reads or writes {} {}", at_end ? "behind the end of" : "before the start of",
                     plan.span_name(spans[static_cast<std::size_t>(code - kTouchedGuard)]));
}

}  // namespace

std::string try_kernel(const HostKernel& kernel, const Plan& plan, const Operation& call) {
  const std::vector<PlanSpan> spans = different_spans(call);
  std::uint64_t bytes = 0;
  for (const PlanSpan& span : spans) bytes += span.count * dtype_bytes(span.dtype);
  if (bytes > kMostBytes) return "";
  for (const bool at_end : {true, false}) {
    std::vector<Fenced> memory;
    for (const PlanSpan& span : spans) memory.push_back(fence(span, at_end));
    const pid_t child = fork();
    if (child < 0) fail(ExitCode::kUnavailable, "no process to try a kernel in");
    if (child == 0) run_in_child(kernel, call, spans, memory);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    for (const Fenced& it : memory) munmap(it.page, it.bytes);
    const std::string problem = what_went_wrong(status, plan, spans, at_end);
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace convoy
