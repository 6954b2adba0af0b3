#include "core/job/auto/auto_rule.hpp"

#include <algorithm>

#include "core/plugin/search_path.hpp"
#include "core/select/candidate.hpp"
#include "core/select/rule.hpp"

namespace convoy::job {
namespace {

// Returns whether the user's options already are one of the strategy's variants. Then the options
// of another variant would not go with them.
bool names_variant(const plugin::Manifest& manifest, const plugin::OptionValues& given) {
  return std::ranges::any_of(manifest.variants, [&](const plugin::Variant& variant) {
    return !variant.empty() && std::ranges::all_of(variant, [&](const auto& option) {
      const auto found = given.find(option.first);
      return found != given.end() && found->second == option.second;
    });
  });
}

}  // namespace

std::vector<plugin::Manifest> installed_strategies(const plugin::Catalog& catalog) {
  std::vector<plugin::Manifest> manifests;
  for (const plugin::FoundPlugin& plugin : catalog.plugins())
    if (plugin.manifest.kind == plugin::PluginKind::kStrategy) manifests.push_back(plugin.manifest);
  return manifests;
}

plugin::OptionValues given_strategy_options(const Setup& setup) {
  plugin::OptionValues given;
  for (const plugin::Manifest& manifest : installed_strategies(setup.catalog))
    given.merge(given_options(manifest, setup.options));
  add_use_nccl(setup, given);  // here, because strategies know only the new name
  return given;
}

namespace {

select::Decision choose_by_rule(const Setup& setup, select::SelectionFacts facts) {
  facts.several_hosts = setup.options.task.tasks() > 1;
  facts.parameter_servers = setup.options.task.servers > 0;
  facts.gradient_megabytes = static_cast<double>(setup.graph->parameter_count()) * 4 / 1e6;
  const select::SelectionRules rules =
      select::SelectionRules::read(plugin::share_directory() / "select/rules.json");
  const plugin::OptionValues given = given_strategy_options(setup);
  const std::vector<plugin::Manifest> manifests = installed_strategies(setup.catalog);
  select::Selection selection = rules.choose(facts, [&](const std::string& name) {
    return std::any_of(manifests.begin(), manifests.end(), [&](const plugin::Manifest& manifest) {
      return manifest.name == name && select::declares_all(manifest, given);
    });
  });
  select::Decision decision;
  decision.chosen.strategy = selection.flags.extract("variable_update").mapped();
  if (!names_variant(
          *std::ranges::find(manifests, decision.chosen.strategy, &plugin::Manifest::name), given))
    decision.chosen.options = std::move(selection.flags);
  for (const auto& [option, value] : given) decision.chosen.options[option] = value;
  decision.basis = selection.because;
  return decision;
}

}  // namespace

select::Decision choose_by_rule(const Setup& setup, bool on_host_processors) {
  return choose_by_rule(setup, select::SelectionFacts{.on_host_processors = on_host_processors});
}

select::Decision choose_by_rule(const Setup& setup, const SimulatedHardware& hardware) {
  const simulate::SimulatedCluster one = hardware.cluster(1, hardware.most_devices);
  return choose_by_rule(
      setup, select::SelectionFacts{
                 .on_host_processors = hardware.on_host_processors,
                 .nvswitch =
                     std::ranges::find(one.machine.links, simulate::Wire::kNvswitch,
                                       &simulate::SimulatedLink::wire) != one.machine.links.end()});
}

}  // namespace convoy::job
