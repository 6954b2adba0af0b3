#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cli/flag_parser.hpp"
#include "core/graph/arena.hpp"
#include "core/plan/step_plan.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/strategy_plugin.hpp"

namespace convoy {

// A strategy and a model that are looked at rather than run: no device is needed, and storage is
// the plain layout. The command line is the verb's own flags and the strategy's options.
class PlanSubject {
 public:
  // `strategy` is a name or a path; `arguments` are flags only. Throws Error for unknown flags and
  // plug-ins that are missing or broken.
  PlanSubject(const std::string& strategy, std::span<const std::string> arguments,
              std::vector<FlagDefinition> verb_flags, const PluginLog& log);

  const ParsedFlags& flags() const { return *flags_; }
  const Manifest& manifest() const { return strategy_->manifest(); }
  const Graph& graph() const { return *graph_; }
  ArenaMap arena_map(std::uint64_t bucket_elements) const;

  // The strategy, as the pipeline of plans asks it. When it throws, `refused` then says whether the
  // strategy itself declined rather than wrote something that cannot be.
  PlanAuthor author(bool& refused);
  // What the strategy writes for this cluster. Throws Error; `refused` then says whether the
  // strategy itself declined rather than wrote something that cannot be.
  Plan plan(const Cluster& cluster, const ArenaMap& arena, bool& refused);

 private:
  void load_model(const Catalog& catalog, const PluginLog& log);

  PluginHost host_;
  std::optional<ParsedFlags> flags_;
  std::unique_ptr<StrategyPlugin> strategy_;
  std::optional<Graph> graph_;
  std::optional<Arena> arena_;
};

// A verb's own flags and those that every verb with a subject has: --model and --plugin_path.
std::vector<FlagDefinition> subject_flags(std::vector<FlagDefinition> verb_flags);

// Warnings of plug-ins, to standard error.
PluginLog log_to(std::ostream& err);

}  // namespace convoy
