#include "tests/plan/check/mutation_oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/plan/stages.hpp"
#include "tests/plan/check/sample_recurrences.hpp"
#include "tests/plan/check/trajectories.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/sanitized.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing {
namespace {

constexpr std::uint64_t kComparedSteps = 6;
constexpr std::uint64_t kStepsWithGradients = 6;
constexpr std::uint64_t kStepsInAll = 240;
constexpr std::uint64_t kStepsToFade = 640;
constexpr double kRate = 0.125;
// Kernels keep up to half of a unit of 0.25, which still waits to be applied.
constexpr double kStillKept = kRate * 0.125 + 1e-3;

// So many computes, to the end of a period: before that, parameters may be on their way to what the
// next forward reads.
std::uint64_t whole_periods(const plan::Plan& plan, std::uint64_t steps) {
  const std::size_t last = plan::stage_count(plan) - 1;
  const std::uint64_t begin = plan::first_step_of(plan, last),
                      period = plan::computes_of(plan, last);
  return begin + (steps - begin + period - 1) / period * period;
}

InterpreterOptions plain_descent(const plan::ArenaMap& arena, GradientFunction gradient) {
  InterpreterOptions options = sample_options(arena, std::move(gradient));
  options.optimizer.kind = CONVOY_OPTIMIZER_SGD;
  options.decayed.clear();
  options.learning_rate = [](std::uint64_t) { return kRate; };
  options.kernel = sample_kernel;
  return options;
}

// Stages with one recurrence each have it in common only where that is the synchronous one.
bool has_recurrence(const plan::check::CheckReport& report) {
  const plan::check::Verdict verdict = report.verdict;
  if (!report.stages.empty()) return verdict == plan::check::Verdict::kSynchronous;
  return (verdict == plan::check::Verdict::kSynchronous ||
          verdict == plan::check::Verdict::kSynchronousEvery ||
          verdict == plan::check::Verdict::kStale) &&
         report.uniform;
}

// Of how many computes the update takes the mean that has this one's gradients.
double mean_over(const plan::check::CheckReport& report, std::uint64_t period,
                 std::uint64_t compute) {
  std::uint64_t end = 0;
  for (const std::uint64_t computes : report.uneven_updates)
    if (compute % period < (end += computes)) return static_cast<double>(computes);
  return static_cast<double>(report.computes_per_update);
}

// Whether the report says how often gradients count in a plan that is exact.
bool says_counts(const plan::check::CheckReport& report) {
  const auto has = [&](std::string_view words) {
    return report.recurrence.find(words) != std::string::npos;
  };
  return report.verdict == plan::check::Verdict::kApproximate && report.stages.empty() &&
         has("all replicas alike") && !has("lost") && !has("of its own") &&
         report.factors.empty() && report.kernels.empty() && report.uneven_updates.empty();
}

// How often a gradient of one counts in the end, by buffer of parameters and element, if it is the
// only one.
std::vector<double> counts_of(const plan::Plan& plan, const plan::check::CheckReport& report,
                              std::uint32_t replica, std::uint64_t compute) {
  const auto gradient = [&](const GradientRequest& request, std::span<float> values) {
    const bool is_it = request.replica == replica && request.step == compute;
    std::fill(values.begin(), values.end(), is_it ? 1.0f : 0.0f);
  };
  InterpreterOptions options = plain_descent(*plan.arena, gradient);
  options.learning_rate = [](std::uint64_t) { return 1.0; };
  Interpreter interpreter(plan, options);
  interpreter.run(whole_periods(plan, kStepsToFade));
  const double divisor = static_cast<double>(plan.cluster->replicas() * report.computes_per_update);
  std::vector<double> counts;
  for (std::uint32_t b = 0; b < plan.buffers.size(); ++b) {
    if (plan.buffers[b].kind != CONVOY_BUFFER_PARAMETERS || plan.buffers[b].set != 0) continue;
    for (std::size_t e = 0; e < options.initial.size(); ++e)
      counts.push_back((options.initial[e] - interpreter.values(b)[e]) * divisor);
  }
  return counts;
}

}  // namespace

std::optional<std::string> find_other_counts(const plan::Plan& plan,
                                             const plan::check::CheckReport& report) {
  const double allowed = 2e-3 * std::max(1.0, report.counts);
  for (std::uint64_t compute = 0; compute < plan.computes; ++compute) {
    const std::vector<double> first = counts_of(plan, report, 0, compute);
    for (std::uint32_t r = 0; r < plan.cluster->replicas(); ++r) {
      const std::vector<double> counts = r == 0 ? first : counts_of(plan, report, r, compute);
      for (std::size_t e = 0; e < counts.size(); ++e)
        if (!(std::fabs(counts[e] - first[e]) < allowed && counts[e] > report.least - allowed &&
              counts[e] < report.counts + allowed))
          return fmt::format(
              "the gradient of replica {} in compute {} counts {} times, and that of "
              "replica 0 {} times",
              r, compute, counts[e], first[e]);
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_loss(const plan::Plan& plan,
                                     const plan::check::CheckReport& report) {
  const plan::ArenaMap& arena = *plan.arena;
  // By replica and step: a backward that runs twice gives the same gradient.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<float>> given;
  const auto gradient = [&](const GradientRequest& request, std::span<float> values) {
    std::fill(values.begin(), values.end(), 0.0f);
    if (request.step >= kStepsWithGradients) return;
    smooth_gradient(request, values);
    std::vector<float>& all = given[{request.replica, request.step}];
    all.resize(arena.elements);
    std::copy(values.begin(), values.end(),
              all.begin() + static_cast<std::ptrdiff_t>(request.range.first));
  };
  const InterpreterOptions options = plain_descent(arena, gradient);
  Interpreter interpreter(plan, options);
  interpreter.run(whole_periods(plan, kStepsInAll));
  std::vector<double> expected(options.initial.begin(), options.initial.end());
  for (const auto& [key, values] : given) {
    const double divisor = plan.cluster->replicas() * mean_over(report, plan.computes, key.second);
    for (std::size_t e = 0; e < values.size(); ++e) expected[e] -= kRate * values[e] / divisor;
  }
  for (std::uint32_t b = 0; b < plan.buffers.size(); ++b) {
    if (plan.buffers[b].kind != CONVOY_BUFFER_PARAMETERS || plan.buffers[b].set != 0) continue;
    for (std::size_t e = 0; e < expected.size(); ++e)
      if (!(std::fabs(interpreter.values(b)[e] - expected[e]) < kStillKept))
        return fmt::format("{}, element {}: {} in the end, and {} by the gradients",
                           plan.buffer_name(b), e, interpreter.values(b)[e], expected[e]);
  }
  return std::nullopt;
}

std::optional<std::string> contradiction(const plan::Plan& plan,
                                         const plan::check::CheckReport& report) {
  if (report.nothing_lost) return find_loss(plan, report);
  // Hundreds of steps for each gradient take minutes with a sanitizer.
  if (says_counts(report)) return kSanitized ? std::nullopt : find_other_counts(plan, report);
  if (!has_recurrence(report)) return std::nullopt;
  return difference(
      interpreted_reads(plan, kComparedSteps),
      recurrence_reads(*plan.arena, plan.cluster->replicas(), report, kComparedSteps));
}

}  // namespace convoy::testing
