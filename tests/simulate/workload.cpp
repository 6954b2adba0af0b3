#include "tests/simulate/workload.hpp"

#include "core/data/pipeline/dataset.hpp"
#include "core/graph/assembler.hpp"
#include "core/plan/make_plan.hpp"
#include "core/plugin/model_plugin.hpp"
#include "core/runtime/model_map.hpp"
#include "core/runtime/prepared_plan.hpp"

namespace convoy::testing {
namespace {

plugin::FoundPlugin built(const std::string& name) {
  return plugin::read_plugin(CONVOY_BINARY_DIR "/lib/convoy/plugins/" + name + ".so");
}

plugin::OptionValues option_values(std::span<const std::string> options) {
  plugin::OptionValues values;
  for (const std::string& option : options) {
    const std::size_t equals = std::min(option.find('='), option.size());
    const std::string name = option.substr(2, equals - 2);
    values[name] = equals == option.size() ? "true" : option.substr(equals + 1);
  }
  return values;
}

}  // namespace

Workload::Workload(const std::string& strategy, std::span<const std::string> options,
                   const std::string& model)
    : strategy_(std::make_unique<plugin::StrategyPlugin>(host_.load_strategy(built(strategy)),
                                                         option_values(options))) {
  plugin::ModelPlugin plugin(host_.load_model(built(model)), {});
  graph_ = graph::assemble_graph(
      model, plugin.info().image_size, data::find_dataset(plugin.info().dataset).classes,
      [&](const convoy_graph_builder& builder) { plugin.build(builder); });
  arena_.emplace(*graph_);
}

plan::ArenaMap Workload::arena_map(std::uint64_t bucket_elements) const {
  return runtime::make_arena_map(*graph_, *arena_, bucket_elements);
}

plan::PlanAuthor Workload::author() {
  return runtime::author_of(*strategy_);
}

plan::Plan Workload::plan(const plan::Cluster& cluster, const plan::ArenaMap& arena) {
  const plan::PlanAuthor strategy = author();
  return plan::make_plan(strategy.name, cluster, arena, strategy.write).plan;
}

}  // namespace convoy::testing
