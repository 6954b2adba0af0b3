#include "core/cli/show/chakra_files.hpp"

#include <fmt/format.h>

#include "core/base/output_file.hpp"
#include "core/simulate/chakra/chakra_traces.hpp"

namespace convoy {

std::string write_chakra(const job::SimulatedRun& run, const std::string& prefix) {
  const simulate::ChakraTraces traces = simulate::chakra_traces(
      run.plan->lasting(), run.on->machine, run.layers, run.prediction.step->operations);
  for (std::size_t rank = 0; rank < traces.ranks.size(); ++rank)
    write_output_file(fmt::format("{}.{}.et", prefix, rank), traces.ranks[rank]);
  const std::string groups = prefix + ".groups.json";
  if (!traces.groups.empty()) write_output_file(groups, traces.groups);
  return fmt::format("Execution traces: {} nodes in {}.0.et to {}.{}.et{}", traces.nodes, prefix,
                     prefix, traces.ranks.size() - 1,
                     traces.groups.empty() ? "" : ", groups in " + groups);
}

}  // namespace convoy
