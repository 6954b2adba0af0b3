#pragma once

#include <vector>

#include "core/graph/graph.hpp"

namespace convoy::runtime {

// The trained values of a model, independent of devices, layouts and strategies. Training passes
// them to evaluation; checkpoints contain them.
struct ModelValues {
  std::vector<std::vector<float>> variables;  // in creation order, plain (OIHW, OI or N)
  std::vector<float> state;                   // batch norm: per layer means, then variances
};

// The state of an optimizer, [slot][variable], plain like the variables.
using OptimizerValues = std::vector<std::vector<std::vector<float>>>;

// Whether all values are finite, so that training can continue from them.
bool are_finite(const ModelValues& values);

// Error kFailed naming the first tensor that is missing or has another size than in this model.
void require_values_of(const graph::Graph& graph, const ModelValues& values);

}  // namespace convoy::runtime
