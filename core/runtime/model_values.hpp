#pragma once

#include <vector>

#include "core/graph/graph.hpp"

namespace convoy {

// What a model has learned, apart from any device, layout or strategy: what training hands to
// evaluation, and what is read from a checkpoint.
struct ModelValues {
  std::vector<std::vector<float>> variables;  // in creation order, plain (OIHW, OI or N)
  std::vector<float> state;                   // batch norm: per layer means, then variances
};

// Error kFailed naming the first tensor that is missing or has another size than in this model.
void require_values_of(const Graph& graph, const ModelValues& values);

}  // namespace convoy
