#include "core/cli/run_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "core/base/error.hpp"
#include "core/cli/auto_run.hpp"
#include "core/cli/model_choice.hpp"
#include "core/cli/plugin_flags.hpp"
#include "core/cli/run_flags.hpp"
#include "core/data/dataset.hpp"
#include "core/graph/assembler.hpp"
#include "core/plugin/availability.hpp"
#include "core/plugin/device_choice.hpp"
#include "core/plugin/search_path.hpp"

namespace convoy {
namespace {

constexpr const char* kAuto = "auto";

void add_options(FlagTable& table, const Manifest& manifest) {
  const std::string group = fmt::format("{} {}", to_string(manifest.kind), manifest.name);
  for (const OptionDeclaration& option : manifest.options)
    if (!table.contains(option.name)) table.add(to_flag(option, group));
}

// The strategies that declare an option, by option.
OptionOwners option_owners(const Catalog& catalog) {
  OptionOwners owners;
  for (const FoundPlugin& plugin : catalog.plugins()) {
    if (plugin.manifest.kind != PluginKind::kStrategy) continue;
    for (const OptionDeclaration& option : plugin.manifest.options)
      owners[option.name].push_back(plugin.manifest.name);
  }
  return owners;
}

// Under auto, options restrict the candidates to those that declare them: all are known.
FlagTable make_table(const Catalog& catalog, const std::string& strategy, const std::string& model,
                     const std::string& device) {
  FlagTable table = run_flag_table();
  for (const FoundPlugin& plugin : catalog.plugins()) {
    const bool strategy_wanted = plugin.manifest.kind == PluginKind::kStrategy &&
                                 (strategy == kAuto || plugin.manifest.name == strategy);
    const bool model_wanted =
        plugin.manifest.kind == PluginKind::kModel && plugin.manifest.name == model;
    const bool any_device = plugin.manifest.kind == PluginKind::kDevice;
    if (strategy_wanted || model_wanted || any_device) add_options(table, plugin.manifest);
  }
  if (strategy.find('/') != std::string::npos)
    add_options(table, catalog.find(PluginKind::kStrategy, strategy).manifest);
  if (model.find('/') != std::string::npos)
    add_options(table, catalog.find(PluginKind::kModel, model).manifest);
  if (device.find('/') != std::string::npos)
    add_options(table, catalog.find(PluginKind::kDevice, device).manifest);
  add_missing_strategy_flags(table, strategy, option_owners(catalog));
  return table;
}

// The plug-in of the model that the command line asks for; empty when it asks for none.
std::string model_of(const Catalog& catalog, std::span<const std::string> arguments) {
  const auto text = [&](const char* flag) { return find_flag(arguments, flag).value_or(""); };
  return model_plugin_name(catalog, text("model"), text("data_name"), text("data_dir"));
}

[[noreturn]] void refuse_gpus(const RunOptions& options, const std::string& reason) {
  fail(ExitCode::kUnavailable, "{} CUDA devices asked for, none found; try --device=cpu. ({})",
       options.num_devices.value_or(1), reason);
}

// Whoever asks for GPUs is told whether convoy was built for them.
void require_gpus(RunSetup& setup) {
  const auto names = setup.catalog.names(PluginKind::kDevice);
  if (std::ranges::find(names, kGpuDevices) == names.end())
    refuse_gpus(setup.options,
                "no CUDA device plug-in is installed: convoy was built without the CUDA toolkit");
  const auto reason =
      unavailable_reason(*setup.host, setup.catalog.find(PluginKind::kDevice, kGpuDevices));
  if (reason) refuse_gpus(setup.options, *reason);
}

void load_device(RunSetup& setup, const PluginLog& log) {
  if (setup.options.device == kGpuDevices) require_gpus(setup);
  const FoundPlugin found = choose_device(*setup.host, setup.catalog, setup.options.device);
  setup.device = std::make_unique<DevicePlugin>(setup.host->load_device(found),
                                                given_options(found.manifest, *setup.flags), log);
}

void load_model(RunSetup& setup, const PluginLog& log) {
  const RunOptions& options = setup.options;
  const FoundPlugin found = setup.catalog.find(
      PluginKind::kModel,
      model_plugin_name(setup.catalog, options.model, options.data_name, options.data_dir));
  setup.model = std::make_unique<ModelPlugin>(setup.host->load_model(found),
                                              given_options(found.manifest, *setup.flags), log);
  setup.model_info = setup.model->info();
  const Dataset& dataset = dataset_of_model(
      options.model, setup.model_info.dataset, options.data_name, options.data_dir,
      [&](std::string_view wanted) { return models_made_for(setup.catalog, *setup.host, wanted); });
  GraphAssembler assembler(found.manifest.name, setup.model_info.image_size, dataset.classes);
  setup.model->build(*assembler.c_builder());
  setup.graph = assembler.finish();
}

// The published command lines of 2017 said use_nccl where later ones say all_reduce_spec=nccl.
void map_use_nccl(const Manifest& manifest, const RunOptions& options, OptionValues& values) {
  constexpr const char* kSpec = "all_reduce_spec";
  const bool declared = std::any_of(manifest.options.begin(), manifest.options.end(),
                                    [](const auto& option) { return option.name == kSpec; });
  if (!declared || !options.use_nccl.value_or(false)) return;
  const std::string& spec = values.try_emplace(kSpec, "nccl").first->second;
  if (spec.find("nccl") == std::string::npos)
    fail(ExitCode::kUsage,
         "--use_nccl=true is the old form of --{}=nccl and contradicts --{}={}: leave out one",
         kSpec, kSpec, spec);
}

void load_strategy(RunSetup& setup, const PluginLog& log) {
  Candidate named{setup.options.variable_update, {}, 0};
  if (setup.decision) {
    named = setup.decision->chosen;
    const auto elements = static_cast<double>(named.bucket_elements);
    if (elements > 0) setup.options.bucket_mb = elements * sizeof(float) / (1 << 20);
    if (!setup.shortlist) setup.notices.push_back(decision_line(*setup.decision));
  }
  setup.strategy = load_strategy_of(setup, named, log);
}

RunSetup read_flags(std::span<const std::string> arguments,
                    std::vector<FlagDefinition> verb_flags) {
  RunSetup setup;
  setup.catalog = scan_catalog(arguments);
  setup.host = std::make_unique<PluginHost>();
  const std::string strategy = find_flag(arguments, "variable_update").value_or(kAuto);
  FlagTable table = make_table(setup.catalog, strategy, model_of(setup.catalog, arguments),
                               find_flag(arguments, "device").value_or(kAnyDevice));
  table.replace_all(std::move(verb_flags));  // --hosts is refused by run alone
  setup.flags = parse_flags(table, arguments);
  setup.options = make_run_options(*setup.flags);
  setup.notices = setup.flags->notices();
  return setup;
}

}  // namespace

RunSetup set_up_run(std::span<const std::string> arguments, const PluginLog& log) {
  RunSetup setup = read_flags(arguments, {});
  load_device(setup, log);
  load_model(setup, log);
  if (setup.options.variable_update == kAuto) setup.decision = choose_for_run(setup);
  load_strategy(setup, log);
  return setup;
}

PluginLog log_to(std::ostream& err) {
  return [&err](std::int32_t level, std::string_view plugin, std::string_view text) {
    if (level >= CONVOY_LOG_INFO) err << fmt::format("convoy: {}: {}\n", plugin, text);
  };
}

PluginLog warnings_only(const PluginLog& log) {
  return [log](std::int32_t level, std::string_view plugin, std::string_view text) {
    if (level >= CONVOY_LOG_WARNING) log(level, plugin, text);
  };
}

RunSetup set_up_imagined_run(std::span<const std::string> arguments, ImaginedRun verb,
                             const std::function<Decision(RunSetup&)>& choose,
                             const PluginLog& log) {
  RunSetup setup = read_flags(arguments, std::move(verb.flags));
  try {
    if (verb.of_this_machine(*setup.flags)) load_device(setup, warnings_only(log));
  } catch (const Error& error) {
    if (!verb.does_without_devices || error.code() != ExitCode::kUnavailable) throw;
  }
  load_model(setup, log);
  if (setup.options.variable_update == kAuto) setup.decision = choose(setup);
  load_strategy(setup, log);
  return setup;
}

std::unique_ptr<StrategyPlugin> load_strategy_of(const RunSetup& setup, const Candidate& candidate,
                                                 const PluginLog& log) {
  const FoundPlugin found = setup.catalog.find(PluginKind::kStrategy, candidate.strategy);
  OptionValues values = given_options(found.manifest, *setup.flags);
  OptionValues chosen = candidate.options;
  values.merge(chosen);  // what the user gave wins
  map_use_nccl(found.manifest, setup.options, values);
  return std::make_unique<StrategyPlugin>(setup.host->load_strategy(found), values, log);
}

std::string run_help(std::span<const std::string> arguments,
                     std::vector<FlagDefinition> verb_flags) {
  const Catalog catalog = scan_catalog(arguments);
  const std::string strategy = find_flag(arguments, "variable_update").value_or(kAuto);
  FlagTable table = make_table(catalog, strategy, model_of(catalog, arguments),
                               find_flag(arguments, "device").value_or(kAnyDevice));
  table.replace_all(std::move(verb_flags));  // --hosts is refused by run alone
  return flag_help(table);
}

}  // namespace convoy
