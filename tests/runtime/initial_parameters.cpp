#include "tests/runtime/initial_parameters.hpp"

#include "core/graph/layout.hpp"
#include "core/runtime/state/initial_values.hpp"
#include "tests/devices/fake/fake_device.hpp"

namespace convoy::testing {

std::vector<float> initial_parameters(const graph::Graph& graph, const graph::Arena& arena,
                                      std::uint64_t seed, bool hash, int threads) {
  std::vector<float> result(arena.elements(), 0.0f);
  for (std::uint32_t i = 0; i < graph.variables().size(); ++i)
    graph::pack(arena.layout(i), graph.variables()[i].dimensions,
                runtime::initial_variable(graph, i, seed, hash, threads).data(),
                result.data() + arena.range(i).first);
  return result;
}

InterpreterOptions interpreter_options(const runtime::Session& session, double rate) {
  const graph::Arena arena(session.graph());
  InterpreterOptions options;
  options.initial = initial_parameters(session.graph(), arena, session.options().seed,
                                       session.options().hash_initializer, 1);
  options.optimizer = session.options().optimizer;
  for (std::size_t i = session.graph().variables().size(); i-- > 0;)
    if (session.graph().variables()[i].decayed) options.decayed.push_back(arena.range(i));
  options.learning_rate = [rate](std::uint64_t) { return rate; };
  options.gradient = fake_gradient;
  return options;
}

}  // namespace convoy::testing
