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

  const Graph& graph() const { return *graph_; }
  ArenaMap arena_map(std::uint64_t bucket_elements) const;
  PlanAuthor author();
  // As the strategy writes it. The arguments must outlive it.
  Plan plan(const Cluster& cluster, const ArenaMap& arena);

 private:
  PluginHost host_;
  std::unique_ptr<StrategyPlugin> strategy_;
  std::optional<Graph> graph_;
  std::optional<Arena> arena_;
};

}  // namespace convoy::testing
