#include "core/runtime/state/model_values.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace convoy::runtime {

bool are_finite(const ModelValues& values) {
  return std::ranges::all_of(values.variables, [](const std::vector<float>& variable) {
    return std::ranges::all_of(variable, [](float value) { return std::isfinite(value); });
  });
}

void require_values_of(const graph::Graph& graph, const ModelValues& values) {
  if (values.variables.size() != graph.variables().size())
    fail(ExitCode::kFailed, "values of {} variables, but {} has {}; they belong to another model",
         values.variables.size(), graph.model(), graph.variables().size());
  for (std::size_t i = 0; i < values.variables.size(); ++i) {
    const graph::GraphVariable& variable = graph.variables()[i];
    if (values.variables[i].size() != variable.elements)
      fail(ExitCode::kFailed,
           "{} values of {}, which has {} in {}; they belong to another model or other options",
           values.variables[i].size(), variable.name, variable.elements, graph.model());
  }
  if (values.state.size() != graph.state_elements())
    fail(ExitCode::kFailed, "{} batch norm statistics, but {} has {}; they belong to another model",
         values.state.size(), graph.model(), graph.state_elements());
}

}  // namespace convoy::runtime
