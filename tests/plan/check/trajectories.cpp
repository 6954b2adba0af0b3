#include "tests/plan/check/trajectories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/plan/reference/update.hpp"
#include "tests/plan/check/sample_recurrences.hpp"
#include "tests/plan/sample_gradients.hpp"

namespace convoy::testing {
namespace {

constexpr float kTolerance = 1e-4f;

struct State {
  std::vector<float> parameters;
  std::vector<float> velocity;
};

void update(State& state, const std::vector<float>& sum, std::uint64_t contributions,
            std::uint64_t step, const InterpreterOptions& options) {
  auto constants =
      plan::update_constants(options.optimizer, contributions, options.learning_rate(step), step);
  const float decay = constants.weight_decay;
  const plan::ElementRange& decayed = options.decayed.front();
  float unused = 0;
  for (std::size_t e = 0; e < sum.size(); ++e) {
    const bool applies = e >= decayed.first && e < decayed.first + decayed.count;
    constants.weight_decay = applies ? decay : 0;
    plan::update_element(constants, sum[e], state.parameters[e], state.velocity[e], unused);
  }
}

}  // namespace

ForwardReads interpreted_reads(const plan::Plan& plan, std::uint64_t steps) {
  ForwardReads reads(steps, std::vector<std::vector<float>>(plan.cluster->replicas()));
  const auto record = [&](const GradientRequest& request, std::span<float> gradient) {
    smooth_gradient(request, gradient);
    if (request.step < steps)
      reads[request.step][request.replica].assign(request.forward_read.begin(),
                                                  request.forward_read.end());
  };
  InterpreterOptions options = sample_options(*plan.arena, record);
  options.kernel = sample_kernel;
  Interpreter interpreter(plan, options);
  interpreter.run(steps);
  return reads;
}

ForwardReads recurrence_reads(const plan::ArenaMap& arena, std::uint32_t replicas,
                              const plan::check::CheckReport& report, std::uint64_t steps) {
  const InterpreterOptions options = sample_options(arena, smooth_gradient);
  const std::uint64_t lag = report.gradient_lag;
  std::vector<std::uint64_t> blocks = report.uneven_updates;
  if (blocks.empty()) blocks = {report.computes_per_update};
  std::vector<State> states{{options.initial, std::vector<float>(arena.elements, 0.0f)}};
  std::vector<std::vector<float>> reads;
  std::uint64_t first = 0;  // step of the next update
  std::uint64_t ended = 0;  // updates
  const auto advance = [&](std::uint64_t step) {
    const std::uint64_t block = blocks[ended % blocks.size()];
    if (step + 1 < first + block) return;
    ++ended;
    states.push_back(states.back());
    const std::uint64_t begin = std::exchange(first, step + 1);
    if (step < lag && !report.zero_start) return;
    std::vector<float> sum(arena.elements, 0.0f);
    std::vector<float> gradient(arena.elements);
    for (std::uint64_t t = begin; step >= lag && t <= step; ++t)
      for (std::uint32_t r = 0; r < replicas; ++r) {
        const std::vector<float>& read = reads[t - lag];
        smooth_gradient({r, t - lag, 0, {0, arena.elements}, read, read}, gradient);
        for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += gradient[e];
      }
    update(states.back(), sum, block * replicas, step, options);
  };
  for (std::uint64_t step = 0; step < steps; ++step) {
    const auto before = static_cast<std::int64_t>(ended);
    if (lag > 0) advance(step);
    const std::int64_t index = before - report.parameter_lag;
    reads.push_back(
        states.at(static_cast<std::size_t>(std::max<std::int64_t>(index, 0))).parameters);
    if (lag == 0) advance(step);
  }
  ForwardReads result;
  for (const auto& read : reads) result.push_back(std::vector<std::vector<float>>(replicas, read));
  return result;
}

std::optional<std::string> difference(const ForwardReads& a, const ForwardReads& b) {
  for (std::size_t step = 0; step < a.size(); ++step)
    for (std::size_t r = 0; r < a[step].size(); ++r) {
      if (a[step][r].size() != b[step][r].size())
        return fmt::format("step {}, replica {}: only one of them computes", step, r);
      for (std::size_t e = 0; e < a[step][r].size(); ++e)
        if (!(std::fabs(a[step][r][e] - b[step][r][e]) < kTolerance))
          return fmt::format("step {}, replica {}, element {}: {} and {}", step, r, e,
                             a[step][r][e], b[step][r][e]);
    }
  return std::nullopt;
}

}  // namespace convoy::testing
