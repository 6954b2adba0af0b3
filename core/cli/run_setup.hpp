#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cli/flag_parser.hpp"
#include "core/cli/run_options.hpp"
#include "core/graph/graph.hpp"
#include "core/plugin/catalog.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/model_plugin.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/select/decision.hpp"

namespace convoy {

// Everything that a command line chose, loaded and ready: options, plug-ins, the model's graph. The
// members stand in the order in which they depend on each other.
struct RunSetup {
  Catalog catalog;
  std::unique_ptr<PluginHost> host;
  std::optional<ParsedFlags> flags;
  RunOptions options;
  std::unique_ptr<DevicePlugin> device;
  std::unique_ptr<ModelPlugin> model;
  std::unique_ptr<StrategyPlugin> strategy;
  std::optional<Graph> graph;
  convoy_model_info model_info{};
  std::optional<Decision> decision;  // of --variable_update=auto
  std::vector<std::string> notices;  // for standard error
};

// Reads flags in two passes (the second one knows the options that the chosen strategy and model
// declare), finds and loads the plug-ins, resolves --variable_update=auto and builds the model's
// graph. `log` receives what plug-ins say.
RunSetup set_up_run(std::span<const std::string> arguments, const PluginLog& log);

// The same for a verb that runs nothing: with flags of its own, and no device plug-in is opened;
// `choose` resolves --variable_update=auto once the model is loaded.
RunSetup set_up_imagined_run(std::span<const std::string> arguments,
                             std::vector<FlagDefinition> verb_flags,
                             const std::function<Decision(const RunSetup&)>& choose,
                             const PluginLog& log);

// The flags as `convoy run --help` shows them, with the options of the strategy that the arguments
// name, if any.
std::string run_help(std::span<const std::string> arguments,
                     std::vector<FlagDefinition> verb_flags = {});

}  // namespace convoy
