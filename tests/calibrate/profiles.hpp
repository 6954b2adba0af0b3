#pragma once

#include <convoy/graph_builder.hpp>

#include "core/calibrate/machine_profile.hpp"
#include "core/graph/assembler.hpp"

namespace convoy::calibrate {

// Two convolutions, the second one of half of the first one's width.
inline graph::Graph two_convolutions() {
  return graph::assemble_graph("two", 16, 10, [](const convoy_graph_builder& builder) {
    GraphBuilder graph(builder);
    const LayerId x = graph.conv(graph.input(), 32, {.kernel = 3, .relu = true});
    graph.classify(graph.conv(x, 16, {.kernel = 3}));
  });
}

// All passes of all layers of a graph: those with products take so many seconds per operation,
// others so many per byte.
inline std::vector<simulate::LayerSample> samples_of(const graph::Graph& graph, std::uint32_t batch,
                                                     double per_flop, double per_byte) {
  std::vector<simulate::LayerSample> samples;
  const auto shapes = simulate::layer_shapes(graph, batch);
  for (std::uint32_t node = 1; node < shapes.size(); ++node)
    for (const convoy_pass pass :
         {CONVOY_PASS_FORWARD, CONVOY_PASS_BACKWARD_DATA, CONVOY_PASS_BACKWARD_WEIGHTS}) {
      const graph::LayerWork work = graph::layer_work(graph, node, batch, pass);
      const double seconds = work.flops > 0 ? per_flop * work.flops : per_byte * work.bytes;
      samples.push_back({shapes[node], pass, work, seconds});
    }
  return samples;
}

// Of a machine of two cores, 100 GFLOP/s and 10 GB/s each, whose layers reach half of that.
inline MachineProfile small_profile() {
  MachineProfile profile;
  profile.machine = {"Processor 9", 2, std::uint64_t{8} << 30, "AVX2 and FMA", "cpu 1.0"};
  profile.created = "2026-01-02 03:04:05";
  profile.operation_seconds = 1e-6;
  profile.neighbour_factor = 1.1;
  profile.crowding_factor = 1.2;
  profile.teams = {{2, 1, 200e9, 20e9, 18e9}, {1, 2, 100e9, 10e9, 9e9}};
  profile.shared = {8e9, 7e9};
  profile.paths = {{"host", "device", 5e9, 4e9}};
  const graph::Graph graph = two_convolutions();
  profile.layers = {{2, 1, samples_of(graph, 4, 1 / 100e9, 1 / 10e9)},
                    {1, 2, samples_of(graph, 4, 1 / 50e9, 1 / 5e9)}};
  profile.checks = {{1, 0.11, 0.1}, {2, 0.19, 0.2}};
  profile.left_out = {"check of 4 devices"};
  profile.disturbance = 0.01;
  return profile;
}

}  // namespace convoy::calibrate
