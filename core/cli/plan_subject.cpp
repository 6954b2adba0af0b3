#include "core/cli/plan_subject.hpp"

#include <fmt/format.h>

#include <ostream>

#include "core/cli/run_flags.hpp"
#include "core/data/dataset.hpp"
#include "core/graph/assembler.hpp"
#include "core/plan/make_plan.hpp"
#include "core/plan/plan_writer.hpp"
#include "core/plugin/model_plugin.hpp"
#include "core/plugin/search_path.hpp"
#include "core/runtime/model_map.hpp"

namespace convoy {
namespace {

FlagDefinition to_flag(const OptionDeclaration& option, const std::string& strategy) {
  FlagDefinition flag;
  flag.name = option.name;
  flag.type = parse_flag_type(to_string(option.type));
  flag.default_value = option.default_value;
  flag.allowed = option.allowed;
  flag.help = option.help;
  flag.group = fmt::format("options of {}", strategy);
  return flag;
}

OptionValues given_options(const Manifest& manifest, const ParsedFlags& flags) {
  OptionValues values;
  const std::map<std::string, std::string> effective = flags.effective();
  for (const OptionDeclaration& option : manifest.options)
    if (flags.is_given(option.name)) values[option.name] = effective.at(option.name);
  return values;
}

}  // namespace

std::vector<FlagDefinition> subject_flags(std::vector<FlagDefinition> verb_flags) {
  FlagDefinition model = *run_flag_table().find("model");
  FlagDefinition path;
  path.name = "plugin_path";
  path.default_value = "";
  path.help = "Files and directories to look for plug-ins in first, separated by ':'.";
  verb_flags.push_back(model);
  verb_flags.push_back(path);
  for (FlagDefinition& flag : verb_flags) flag.group = "flags";
  return verb_flags;
}

PluginLog log_to(std::ostream& err) {
  return [&err](std::int32_t level, std::string_view plugin, std::string_view text) {
    if (level >= CONVOY_LOG_INFO) err << fmt::format("convoy: {}: {}\n", plugin, text);
  };
}

PlanSubject::PlanSubject(const std::string& strategy, std::span<const std::string> arguments,
                         std::vector<FlagDefinition> verb_flags, const PluginLog& log) {
  const std::string path = find_flag(arguments, "plugin_path").value_or("");
  const Catalog catalog = Catalog::scan(search_path(process_search_settings(path)));
  const FoundPlugin found = catalog.find(PluginKind::kStrategy, strategy);
  FlagTable table;
  table.add_all(subject_flags(std::move(verb_flags)));
  for (const OptionDeclaration& option : found.manifest.options)
    if (!table.contains(option.name)) table.add(to_flag(option, found.manifest.name));
  flags_ = parse_flags(table, arguments);
  strategy_ = std::make_unique<StrategyPlugin>(host_.load_strategy(found),
                                               given_options(found.manifest, *flags_), log);
  load_model(catalog, log);
}

void PlanSubject::load_model(const Catalog& catalog, const PluginLog& log) {
  const FoundPlugin found = catalog.find(PluginKind::kModel, flags_->text("model"));
  ModelPlugin model(host_.load_model(found), {}, log);
  graph_ = assemble_graph(found.manifest.name, model.info().image_size,
                          find_dataset(model.info().dataset).classes,
                          [&](const convoy_graph_builder& builder) { model.build(builder); });
  arena_.emplace(*graph_);
}

ArenaMap PlanSubject::arena_map(std::uint64_t bucket_elements) const {
  return make_arena_map(*graph_, *arena_, bucket_elements);
}

PlanAuthor PlanSubject::author(bool& refused) {
  refused = false;
  return {manifest().name, [this, &refused](const convoy_planner& planner) {
            try {
              strategy_->plan(planner);
            } catch (const Error&) {
              refused = static_cast<const PlanWriter*>(planner.self)->error().empty();
              throw;
            }
          }};
}

Plan PlanSubject::plan(const Cluster& cluster, const ArenaMap& arena, bool& refused) {
  return make_plan(manifest().name, cluster, arena, author(refused).write);
}

}  // namespace convoy
