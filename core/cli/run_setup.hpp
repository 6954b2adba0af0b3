#pragma once

#include <functional>
#include <iosfwd>
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
#include "core/runtime/open_devices.hpp"
#include "core/select/decision.hpp"

namespace convoy {

// What --auto=measure is to try while training.
struct AutoShortlist {
  // That of the decision first, then all that are predicted within the tolerance of the best.
  std::vector<RankedCandidate> candidates;
  double tolerance = 0;  // relative
  // Keeps a decision for runs in the same circumstances; problems are told.
  std::function<void(const Decision&, const std::function<void(const std::string&)>& tell)>
      remember;
};

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
  std::shared_ptr<OpenDevices> open_devices;  // when they had to be looked at already
  std::optional<Graph> graph;
  convoy_model_info model_info{};
  std::optional<Decision> decision;  // of --variable_update=auto
  std::optional<AutoShortlist> shortlist;
  std::vector<std::string> notices;  // for standard error
};

// Reads flags in two passes (the second one knows the options that the chosen strategy and model
// declare), finds and loads the plug-ins, resolves --variable_update=auto and builds the model's
// graph. `log` receives what plug-ins say.
RunSetup set_up_run(std::span<const std::string> arguments, const PluginLog& log);

// A verb that looks at a run and runs nothing.
struct ImaginedRun {
  std::vector<FlagDefinition> flags;  // of its own
  // Whether the flags mean the devices of this machine: then their plug-in is loaded, too.
  std::function<bool(const ParsedFlags&)> of_this_machine;
  // Without devices of the kind that is asked for it goes on, with what can be seen of the machine.
  bool does_without_devices = false;
};

// The same for such a verb; `choose` resolves --variable_update=auto once the model is loaded.
RunSetup set_up_imagined_run(std::span<const std::string> arguments, ImaginedRun verb,
                             const std::function<Decision(RunSetup&)>& choose,
                             const PluginLog& log);

// What plug-ins have to say, to standard error.
PluginLog log_to(std::ostream& err);
// For those who measure no speed: without the devices' advice about it.
PluginLog warnings_only(const PluginLog& log);

// The strategy of a candidate with its options and those that the command line gives.
std::unique_ptr<StrategyPlugin> load_strategy_of(const RunSetup& setup, const Candidate& candidate,
                                                 const PluginLog& log);

// The flags as `convoy run --help` shows them, with the options of the strategy that the arguments
// name, if any.
std::string run_help(std::span<const std::string> arguments,
                     std::vector<FlagDefinition> verb_flags = {});

}  // namespace convoy
