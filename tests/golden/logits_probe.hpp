#pragma once

#include <vector>

#include "core/graph/graph.hpp"
#include "tests/golden/golden_run.hpp"

namespace convoy::testing {

// Devices keep logits to themselves, but gradients show them: behind the classifier comes another
// one of three classes whose weights W are zero, so that every image has probability 1/3 for each
// class. With labels 0 and 1 for two images,
//   dL/dW[0] = (-2/3 first + 1/3 second) / 2 and dL/dW[1] = (1/3 first - 2/3 second) / 2,
// which has one solution. This is a model's graph with that end in place of its loss.
graph::Graph with_logits_probe(const graph::Graph& graph);

// The logits [2, classes] of a golden file's two images, row-major, from a run of such a graph.
// Takes one step.
std::vector<float> read_logits(GoldenRun& run);

}  // namespace convoy::testing
