#include "tests/golden/logits_probe.hpp"

#include <algorithm>
#include <array>

#include "core/graph/assembler.hpp"

namespace convoy::testing {
namespace {

constexpr std::uint32_t kProbeClasses = 3;

convoy_layer blank(std::uint32_t kind, const std::uint32_t& input) {
  auto layer = make_sized<convoy_layer>();
  layer.kind = kind;
  layer.inputs = &input;
  layer.input_count = 1;
  return layer;
}

// All replicas start from a zero probe, whatever the fill made of it.
void clear_probe(GoldenRun& run, std::size_t probe) {
  std::vector<float> parameters = run.session().memory().read_parameters();
  const convoy_range range = run.session().arena().range(probe);
  std::fill_n(parameters.begin() + static_cast<std::ptrdiff_t>(range.first), range.count, 0.0f);
  run.session().memory().write_parameters(parameters);
}

}  // namespace

graph::Graph with_logits_probe(const graph::Graph& graph) {
  graph::GraphAssembler assembler(graph.model(), graph.image_size(), kProbeClasses);
  std::uint32_t last = 0;
  for (std::size_t i = 1; i + 1 < graph.nodes().size(); ++i) {
    convoy_layer layer = graph.nodes()[i].layer;
    layer.inputs = graph.nodes()[i].inputs.data();
    layer.input_count = graph.nodes()[i].inputs.size();
    last = assembler.add(layer);
  }
  convoy_layer probe = blank(CONVOY_LAYER_FULLY_CONNECTED, last);
  probe.channels = kProbeClasses;
  const std::uint32_t scores = assembler.add(probe);
  assembler.add(blank(CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY, scores));
  return assembler.finish();
}

std::vector<float> read_logits(GoldenRun& run) {
  static constexpr std::array<std::int32_t, 2> kLabels = {0, 1};
  const std::size_t probe = run.session().graph().variables().size() - 1;
  clear_probe(run, probe);
  const data::Batch& batch = run.source().acquire(0, 0);
  run.session().executor().submit_step({0, {{batch.images, kLabels.data()}}});
  run.session().executor().finish_step();
  run.source().release(0, 0);
  const std::vector<float> gradient = run.plain(run.gradient_arena(), probe);
  const std::size_t classes = gradient.size() / kProbeClasses;
  std::vector<float> logits(2 * classes);
  for (std::size_t i = 0; i < classes; ++i) {
    const double a = 2.0 * gradient[i];
    const double b = 2.0 * gradient[classes + i];
    logits[i] = static_cast<float>(-(2 * a + b));
    logits[classes + i] = static_cast<float>(-(a + 2 * b));
  }
  return logits;
}

}  // namespace convoy::testing
