#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace convoy::testing {

// Training written down without plans, in double precision: momentum SGD (Nesterov's form) with
// weight decay on everything, where a step computes on the parameters of `parameters_lag` steps ago
// and applies the mean of the gradients that were computed `gradients_lag` steps ago. What would be
// before the first step is the initial parameters, and a gradient of zero.
struct DelayedTraining {
  using Gradient = std::function<std::vector<float>(std::uint32_t replica, std::uint64_t step,
                                                    std::span<const float> parameters)>;

  std::vector<std::uint32_t> replicas;  // whose gradients are averaged
  std::uint64_t parameters_lag = 0;
  std::uint64_t gradients_lag = 0;
  double momentum = 0;
  double weight_decay = 0;
  std::function<double(std::uint64_t step)> learning_rate;
  Gradient gradient;

  // For every step, the parameters that its gradients are computed from.
  std::vector<std::vector<float>> run(std::span<const float> initial, std::uint64_t steps) const;
};

}  // namespace convoy::testing
