#include "tests/runtime/small_models.hpp"

#include <convoy/model.hpp>

#include "core/graph/assembler.hpp"

namespace convoy::testing {

graph::Graph two_scalars() {
  const graph::Graph colored = graph::assemble_graph("two_scalars", 1, 1, [](const auto& builder) {
    GraphBuilder graph(builder);
    LayerId x = graph.input();
    for (const double value : {1.0, 2.0})
      x = graph.fully_connected(x, 1, {.bias = false, .weights = constant(value)});
    graph.mean_loss(x);
  });
  // Models see three channels; the scalar model has one, else A would count three times.
  std::vector<graph::GraphNode> nodes = colored.nodes();
  nodes[0].output.channels = 1;
  nodes[1].input.channels = 1;
  return {"two_scalars", 1, std::move(nodes)};
}

graph::Graph small_network() {
  return graph::assemble_graph("small", 8, 7, [](const auto& builder) {
    GraphBuilder graph(builder);
    LayerId x = graph.conv(graph.input(), 8, {.kernel = 3, .relu = true});
    x = graph.max_pool(x);
    x = graph.conv(x, 12, {.kernel = 3, .relu = true});
    x = graph.fully_connected(x, 20, {.relu = true});
    graph.classify(x);
  });
}

graph::Graph normalised_network() {
  return graph::assemble_graph("normalised", 8, 7, [](const auto& builder) {
    GraphBuilder graph(builder);
    LayerId x = graph.conv(
        graph.input(), 8,
        {.kernel = 3, .batch_norm = BatchNormOptions{.scale = true, .decay = 0.9}, .relu = true});
    x = graph.max_pool(x);
    x = graph.conv(x, 12, {.kernel = 3, .batch_norm = BatchNormOptions{}, .relu = true});
    graph.classify(graph.dropout(x));
  });
}

}  // namespace convoy::testing
