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

// What --auto=measure is to try while training.
struct AutoShortlist {
  // The decision's candidate first, then all others predicted within the tolerance of the best.
  std::vector<select::RankedCandidate> candidates;
  double tolerance = 0;  // relative
  // Keeps a decision for runs in the same circumstances; problems are told.
  std::function<void(const select::Decision&, const std::function<void(const std::string&)>& tell)>
      remember;
};

class Task;

// A job with everything that its options chose, loaded and ready: plug-ins, the model's graph. The
// members stand in the order in which they depend on each other.
struct Setup {
  JobOptions options;
  Catalog catalog;
  std::unique_ptr<PluginHost> host;
  std::unique_ptr<DevicePlugin> device;
  std::unique_ptr<ModelPlugin> model;
  std::unique_ptr<StrategyPlugin> strategy;
  std::shared_ptr<runtime::OpenDevices> open_devices;  // when they had to be looked at already
  std::optional<Graph> graph;
  convoy_model_info model_info{};
  GuardOptions guard;
  std::uint64_t bucket_elements = 0;  // of f32, as the options or the decision say; 0: one bucket
  Task* task = nullptr;               // of a run on several hosts: this process's
  std::optional<select::Decision> decision;  // of --variable_update=auto
  bool decides_on_links = false;             // the decision is to be made anew: see choose_on_links
  std::optional<AutoShortlist> shortlist;
  std::vector<std::string> notices;  // for people
};

// Finds and loads the plug-ins, resolves --variable_update=auto and builds the model's graph. `log`
// receives what plug-ins say.
Setup set_up_run(JobOptions options, Catalog catalog, const PluginLog& log);

// For verbs that look at a job and run nothing.
struct ImaginedRun {
  // Whether it is about the devices of this machine: then their plug-in is loaded, too.
  bool of_this_machine = false;
  // Without devices of the kind that is asked for it goes on, with what can be seen of the machine.
  bool does_without_devices = false;
};

// The same for these. Error(kUsage) for options that do not train: there is nothing to plan.
// `choose` resolves --variable_update=auto once the model is loaded.
Setup set_up_imagined_run(JobOptions options, Catalog catalog, ImaginedRun imagined,
                          const std::function<select::Decision(Setup&)>& choose,
                          const PluginLog& log);

// What plug-ins have to say, as notices.
PluginLog log_to(report::RunObserver& observer);
// For verbs that measure no speed: leaves out the devices' advice about speed.
PluginLog warnings_only(const PluginLog& log);

// Error(kUsage) where --use_nccl is given and the devices cannot do it.
void check_use_nccl(const Setup& setup);

// The options that the job gives to a plug-in with this manifest.
OptionValues given_options(const Manifest& manifest, const JobOptions& options);

// An instance of a strategy; one that did not come with this convoy is created and plans in a child
// process first, see PluginHost::try_first(). The host must outlive it.
std::unique_ptr<StrategyPlugin> open_strategy(PluginHost& host, const FoundPlugin& found,
                                              const OptionValues& values,
                                              const PluginLog& log = {});

// The strategy of a candidate with its options and those that the job gives.
std::unique_ptr<StrategyPlugin> load_strategy_of(const Setup& setup,
                                                 const select::Candidate& candidate,
                                                 const PluginLog& log);

}  // namespace convoy::job
