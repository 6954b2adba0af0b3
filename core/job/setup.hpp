#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/job/options.hpp"
#include "core/plugin/catalog.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/model_plugin.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/report/run_observer.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/select/decision.hpp"

namespace convoy::job {

// The candidates that --auto=measure tries during training.
struct AutoShortlist {
  // The candidate of the decision first, then all others whose prediction is within the tolerance
  // of the best.
  std::vector<select::RankedCandidate> candidates;
  double tolerance = 0;  // a relative difference
  // Stores a decision for later runs under the same conditions; reports problems to `tell`.
  std::function<void(const select::Decision&, const std::function<void(const std::string&)>& tell)>
      remember;
};

struct StartingPoint;
class Task;

// A job with everything that its options chose, loaded and ready: plug-ins and the model's graph.
// The order of the members is the order of their dependencies.
struct Setup {
  JobOptions options;
  plugin::Catalog catalog;
  std::unique_ptr<plugin::PluginHost> host;
  std::unique_ptr<plugin::DevicePlugin> device;
  std::unique_ptr<plugin::ModelPlugin> model;
  std::unique_ptr<plugin::StrategyPlugin> strategy;
  std::shared_ptr<runtime::OpenDevices> open_devices;  // set if they had to be opened already
  std::shared_ptr<StartingPoint> starting_point;       // set if it had to be found already
  std::optional<graph::Graph> graph;
  convoy_model_info model_info{};
  // F32 elements, from the options or the decision; 0: one bucket.
  std::uint64_t bucket_elements = 0;
  Task* task = nullptr;  // the task of this process; null: the run has one process
  std::optional<select::Decision> decision;  // the decision of --variable_update=auto
  bool decides_on_links = false;             // choose_on_links() will decide again
  std::optional<AutoShortlist> shortlist;
  std::vector<std::string> notices;  // for people
};

// Finds and loads the plug-ins, resolves --variable_update=auto and builds the model's graph. `log`
// receives the plug-ins' messages.
Setup set_up_run(JobOptions options, plugin::Catalog catalog, const plugin::PluginLog& log);

// Options for a verb that examines a job without running it.
struct DryRun {
  // The job is for the devices of this machine, so their plug-in is loaded, too.
  bool of_this_machine = false;
  // If there are no devices of the requested kind, continue without a device plug-in.
  bool does_without_devices = false;
};

// Makes the setup for a verb that runs nothing. `choose` resolves --variable_update=auto once the
// model is loaded. Error(kUsage) for options that do not train, because they have no plan.
Setup set_up_dry_run(JobOptions options, plugin::Catalog catalog, DryRun dry_run,
                     const std::function<select::Decision(Setup&)>& choose,
                     const plugin::PluginLog& log);

// Passes messages of plug-ins to the observer, as notices.
plugin::PluginLog log_to(report::RunObserver& observer);
// Suppresses the devices' advice about speed, for verbs that do not measure it.
plugin::PluginLog warnings_only(const plugin::PluginLog& log);

// Adds --use_nccl=true, the old form of --all_reduce_spec=nccl, to the options of a strategy.
// Error(kUsage) if the spec says otherwise, or if the devices are no GPUs.
void add_use_nccl(const Setup& setup, plugin::OptionValues& values);

// Returns the options that the job gives to a plug-in with this manifest.
plugin::OptionValues given_options(const plugin::Manifest& manifest, const JobOptions& options);

// Returns the transports that --transport names, or all that are installed. Error(kUnavailable) if
// one of that name is missing.
std::vector<plugin::FoundPlugin> wanted_transports(const Setup& setup);

// Opens an instance of a strategy. A strategy that did not come with this convoy is first created,
// and plans, in a child process, see PluginHost::try_first(). The host must outlive it.
std::unique_ptr<plugin::StrategyPlugin> open_strategy(plugin::PluginHost& host,
                                                      const plugin::FoundPlugin& found,
                                                      const plugin::OptionValues& values,
                                                      const plugin::PluginLog& log = {});

// Loads the strategy of a candidate, with the candidate's options and those that the job gives.
std::unique_ptr<plugin::StrategyPlugin> load_strategy_of(const Setup& setup,
                                                         const select::Candidate& candidate,
                                                         const plugin::PluginLog& log);

}  // namespace convoy::job
