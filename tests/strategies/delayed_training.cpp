#include "tests/strategies/delayed_training.hpp"

namespace convoy::testing {
namespace {

// The element of the history that is `lag` steps old at `step`; the first one before that.
template <typename T>
const T& delayed(const std::vector<T>& history, std::uint64_t step, std::uint64_t lag) {
  return history[step < lag ? 0 : step - lag];
}

}  // namespace

std::vector<std::vector<float>> DelayedTraining::run(std::span<const float> initial,
                                                     std::uint64_t steps) const {
  const std::size_t size = initial.size();
  std::vector<double> parameters(initial.begin(), initial.end());
  std::vector<double> velocity(size, 0.0);
  std::vector<std::vector<float>> versions;  // at the beginning of every step
  std::vector<std::vector<float>> computed_from;
  std::vector<std::vector<double>> means;
  for (std::uint64_t step = 0; step < steps; ++step) {
    versions.emplace_back(parameters.begin(), parameters.end());
    computed_from.push_back(delayed(versions, step, parameters_lag));
    means.emplace_back(size, 0.0);
    for (const std::uint32_t replica : replicas) {
      const std::vector<float> own = gradient(replica, step, computed_from.back());
      for (std::size_t e = 0; e < size; ++e)
        means.back()[e] += static_cast<double>(own[e]) / static_cast<double>(replicas.size());
    }
    for (std::size_t e = 0; e < size; ++e) {
      const double mean = step < gradients_lag ? 0.0 : means[step - gradients_lag][e];
      const double total = mean + weight_decay * parameters[e];
      velocity[e] = momentum * velocity[e] + total;
      parameters[e] -= learning_rate(step) * (total + momentum * velocity[e]);
    }
  }
  return computed_from;
}

}  // namespace convoy::testing
