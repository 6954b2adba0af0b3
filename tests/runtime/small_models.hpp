#pragma once

#include "core/graph/graph.hpp"

namespace convoy::testing {

// loss = mean(x * A * B) of images of one number, with A = 1 and B = 2, and L2 over both: the model
// of the published golden losses.
graph::Graph two_scalars();

// Two convolutions with a pool between them, a fully connected layer and a classifier of 7 classes
// for images of 8 x 8; no batch norm, so that devices may share a batch in any way.
graph::Graph small_network();

// The like with batch norms and dropout.
graph::Graph normalised_network();

}  // namespace convoy::testing
