#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/graph/arena.hpp"
#include "core/graph/graph.hpp"
#include "core/plan/step_plan.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/strategy_plugin.hpp"

namespace convoy::testing {

// A strategy of convoy's and the model that it trains, to plan with; storage is the plain layout.
class Workload {
 public:
  // Options as on a command line: "--all_reduce_spec=nccl", "--staged_vars".
  Workload(const std::string& strategy, std::span<const std::string> options,
           const std::string& model);

  const graph::Graph& graph() const { return *graph_; }
  plan::ArenaMap arena_map(std::uint64_t bucket_elements) const;
  plan::PlanAuthor author();
  // As the strategy writes it. The arguments must outlive it.
  plan::Plan plan(const plan::Cluster& cluster, const plan::ArenaMap& arena);

 private:
  plugin::PluginHost host_;
  std::unique_ptr<plugin::StrategyPlugin> strategy_;
  std::optional<graph::Graph> graph_;
  std::optional<graph::Arena> arena_;
};

}  // namespace convoy::testing
