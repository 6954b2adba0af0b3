#include "core/job/setup.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text/counted.hpp"
#include "core/base/text/nearest.hpp"
#include "core/data/pipeline/dataset.hpp"
#include "core/graph/assembler.hpp"
#include "core/job/auto/auto_run.hpp"
#include "core/job/hardware/this_hardware.hpp"
#include "core/job/job_files.hpp"
#include "core/job/limits.hpp"
#include "core/job/memory_check.hpp"
#include "core/job/model_choice.hpp"
#include "core/job/options.hpp"
#include "core/plan/arena_map.hpp"
#include "core/plugin/availability.hpp"
#include "core/plugin/device_choice.hpp"
#include "core/select/candidate.hpp"

namespace convoy::job {
namespace {

constexpr const char* kAllReduceSpec = "all_reduce_spec";

constexpr std::uint32_t kAnyClasses = 1000;  // for a model that is only examined

[[noreturn]] void refuse_gpus(const JobOptions& options, const std::string& reason) {
  const std::uint32_t wanted = options.num_devices.value_or(1);
  fail(ExitCode::kUnavailable, "{} asked for, none found; try --device=cpu. ({})",
       counted(wanted, "CUDA device"), reason);
}

// Tells a user who asks for GPUs whether convoy was built for them.
void require_gpus(Setup& setup) {
  const auto names = setup.catalog.names(plugin::PluginKind::kDevice);
  if (std::ranges::find(names, plugin::kGpuDevices) == names.end())
    refuse_gpus(setup.options,
                "no CUDA device plug-in is installed: convoy was built without the CUDA toolkit");
  const auto reason = plugin::unavailable_reason(
      *setup.host, setup.catalog.find(plugin::PluginKind::kDevice, plugin::kGpuDevices));
  if (reason) refuse_gpus(setup.options, *reason);
}

void load_device(Setup& setup, const plugin::PluginLog& log) {
  if (setup.options.device == plugin::kGpuDevices) require_gpus(setup);
  const plugin::FoundPlugin found =
      plugin::choose_device(*setup.host, setup.catalog, setup.options.device);
  const auto is_order = [](const plugin::OptionDeclaration& it) {
    return it.name == "gpu_indices";
  };
  if (!setup.options.device_order.empty() && std::ranges::none_of(found.manifest.options, is_order))
    setup.notices.push_back(fmt::format(
        "--gpu_indices is ignored: devices of kind {} have no such order", found.manifest.name));
  setup.device = std::make_unique<plugin::DevicePlugin>(
      setup.host->load_device(found), given_options(found.manifest, setup.options), log);
}

// Limits the number of buckets, because every bucket takes several operations per device.
void check_buckets(const Setup& setup) {
  if (setup.bucket_elements == 0) return;
  const std::uint64_t size = plan::bucket_size(setup.bucket_elements);
  const std::uint64_t buckets = (setup.graph->parameter_count() + size - 1) / size;
  if (buckets > kMostBuckets)
    fail(ExitCode::kUsage,
         "--bucket_mb={} cuts the {} parameters of {} into {} buckets; plans have {} at most, so "
         "take larger ones, or 0 for one bucket",
         setup.options.bucket_mb.value_or(kDefaultBucketMb), setup.graph->parameter_count(),
         setup.graph->model(), buckets, kMostBuckets);
}

void load_model(Setup& setup, const plugin::PluginLog& log) {
  const JobOptions& options = setup.options;
  const plugin::FoundPlugin found = setup.catalog.find(
      plugin::PluginKind::kModel,
      model_plugin_name(setup.catalog, options.model, options.data_name, options.data_dir));
  const plugin::LoadedPlugin<convoy_model> loaded = setup.host->load_model(found);
  const plugin::OptionValues values = given_options(found.manifest, options);
  setup.host->try_first(found, "describing its layers", [&] {
    plugin::ModelPlugin model(loaded, values);
    graph::GraphAssembler assembler(found.manifest.name, model.info().image_size, kAnyClasses);
    model.build(*assembler.c_builder());
  });
  setup.model = std::make_unique<plugin::ModelPlugin>(loaded, values, log);
  setup.model_info = setup.model->info();
  const data::Dataset& dataset = data::dataset_of_model(
      options.model, setup.model_info.dataset, options.data_name, options.data_dir,
      [&](std::string_view wanted) { return models_made_for(setup.catalog, *setup.host, wanted); });
  setup.graph = graph::assemble_graph(
      found.manifest.name, setup.model_info.image_size, dataset.classes,
      [&](const convoy_graph_builder& builder) { setup.model->build(builder); });
  check_buckets(setup);
}

// Names plug-ins that failed. auto goes on without them.
void name_culprits(Setup& setup) {
  for (const std::string& text : setup.host->culprits())
    setup.notices.push_back(fmt::format("left out: {}", text));
}

// Refuses options that do not train, because a strategy plans only how a step of training updates
// variables.
void require_training(const JobOptions& options) {
  if (const char* flag = flag_without_training(options))
    fail(ExitCode::kUsage,
         "--{} trains nothing, and what is planned and simulated is a step of training; leave it "
         "out",
         flag);
}

void load_strategy(Setup& setup, const plugin::PluginLog& log) {
  select::Candidate named{setup.options.variable_update, {}, 0};
  if (setup.decision) {
    named = setup.decision->chosen;
    if (named.bucket_elements > 0) setup.bucket_elements = named.bucket_elements;
    if (!setup.shortlist && !setup.decides_on_links && trains(setup.options))
      setup.notices.push_back(select::decision_line(*setup.decision));
  }
  setup.strategy = load_strategy_of(setup, named, log);
}

// Returns the manifests of plug-ins that get the job's options. If no device is loaded, the options
// may be for any kind of device.
std::vector<plugin::Manifest> manifests_of(const Setup& setup) {
  std::vector<plugin::Manifest> manifests = {setup.strategy->manifest(), setup.model->manifest()};
  for (const plugin::FoundPlugin& transport : wanted_transports(setup))
    manifests.push_back(transport.manifest);
  if (setup.device != nullptr) {
    manifests.push_back(setup.device->manifest());
    return manifests;
  }
  for (const std::string& name : setup.catalog.names(plugin::PluginKind::kDevice))
    manifests.push_back(setup.catalog.find(plugin::PluginKind::kDevice, name).manifest);
  return manifests;
}

// Returns whose option it is, if a device or transport has it that the job does not use; else names
// of options that look like it. Empty if there are neither.
std::string hint_on_option(const Setup& setup, const std::string& name,
                           const std::vector<std::string>& known) {
  for (const plugin::FoundPlugin& plugin : setup.catalog.plugins())
    if (std::ranges::find(plugin.manifest.options, name, &plugin::OptionDeclaration::name) !=
        plugin.manifest.options.end())
      return fmt::format("; it is an option of {} {}: leave it out, or take that",
                         plugin::to_string(plugin.manifest.kind), plugin.manifest.name);
  const std::vector<std::string> meant = nearest_names(name, known);
  return meant.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(meant, ", "));
}

// Refuses options that no plug-in of the job has. On the command line these are options of devices
// and transports that are installed; programs that use the library can also give unknown ones.
void require_known_options(const Setup& setup) {
  const std::vector<plugin::Manifest> manifests = manifests_of(setup);
  std::vector<std::string> known;
  for (const plugin::Manifest& manifest : manifests)
    for (const plugin::OptionDeclaration& option : manifest.options) known.push_back(option.name);
  for (const auto& [name, value] : setup.options.plugin_options) {
    if (std::ranges::find(known, name) != known.end()) continue;
    fail(ExitCode::kUsage,
         "--{}={}: neither strategy {} nor model {} nor the devices nor the transports have such "
         "an option{}",
         name, value, setup.strategy->manifest().name, setup.model->manifest().name,
         hint_on_option(setup, name, known));
  }
}

Setup begin(JobOptions options, plugin::Catalog catalog) {
  Setup setup;
  setup.catalog = std::move(catalog);
  setup.host = std::make_unique<plugin::PluginHost>();
  setup.host->set_patience(options.plugin_timeout);
  setup.bucket_elements = bucket_elements(options);
  setup.options = std::move(options);
  return setup;
}

}  // namespace

Setup set_up_run(JobOptions options, plugin::Catalog catalog, const plugin::PluginLog& log) {
  check_output_files(options);
  require_calibration(options);
  Setup setup = begin(std::move(options), std::move(catalog));
  load_device(setup, log);
  load_model(setup, log);
  check_host_memory(setup);
  check_data_files(setup);
  if (setup.options.variable_update == select::kAutoStrategy) {
    open_starting_point(setup);
    setup.decision = choose_for_run(setup);
    name_culprits(setup);
  }
  load_strategy(setup, log);
  require_known_options(setup);
  return setup;
}

plugin::PluginLog log_to(report::RunObserver& observer) {
  return [&observer](std::int32_t level, std::string_view plugin, std::string_view text) {
    if (level >= CONVOY_LOG_INFO) observer.notice(fmt::format("{}: {}", plugin, text));
  };
}

plugin::PluginLog warnings_only(const plugin::PluginLog& log) {
  return [log](std::int32_t level, std::string_view plugin, std::string_view text) {
    if (level >= CONVOY_LOG_WARNING) log(level, plugin, text);
  };
}

Setup set_up_dry_run(JobOptions options, plugin::Catalog catalog, DryRun dry_run,
                     const std::function<select::Decision(Setup&)>& choose,
                     const plugin::PluginLog& log) {
  require_training(options);
  Setup setup = begin(std::move(options), std::move(catalog));
  try {
    if (dry_run.of_this_machine) load_device(setup, warnings_only(log));
  } catch (const Error& error) {
    if (!dry_run.does_without_devices || error.code() != ExitCode::kUnavailable) throw;
  }
  load_model(setup, log);
  if (setup.options.variable_update == select::kAutoStrategy) {
    setup.decision = choose(setup);
    name_culprits(setup);
  }
  load_strategy(setup, log);
  require_known_options(setup);
  return setup;
}

// The published command lines of 2017 have use_nccl where later ones have all_reduce_spec=nccl.
void add_use_nccl(const Setup& setup, plugin::OptionValues& values) {
  if (!setup.options.use_nccl.value_or(false)) return;
  const std::string& spec = values.try_emplace(kAllReduceSpec, "nccl").first->second;
  if (spec.find("nccl") == std::string::npos)
    fail(ExitCode::kUsage,
         "--use_nccl=true is the old form of --{}=nccl and contradicts --{}={}: leave out one",
         kAllReduceSpec, kAllReduceSpec, spec);
  if (setup.device == nullptr) return;
  const std::string& kind = setup.device->manifest().name;
  if (!kind.starts_with(plugin::kGpuDevices))
    fail(
        ExitCode::kUsage,
        "--use_nccl=true: NCCL needs CUDA devices, and these are of kind {}; leave it out, or take "
        "--all_reduce_spec=collective, the devices' own all-reduce",
        kind);
}

plugin::OptionValues given_options(const plugin::Manifest& manifest, const JobOptions& options) {
  plugin::OptionValues values;
  for (const plugin::OptionDeclaration& option : manifest.options)
    if (const auto given = options.plugin_options.find(option.name);
        given != options.plugin_options.end())
      values.insert(*given);
  return values;
}

std::vector<plugin::FoundPlugin> wanted_transports(const Setup& setup) {
  std::vector<plugin::FoundPlugin> wanted;
  const std::vector<std::string>& named = setup.options.task.transports;
  wanted.reserve(named.size());
  for (const std::string& name : named)
    wanted.push_back(setup.catalog.find(plugin::PluginKind::kTransport, name));
  if (named.empty())
    for (const plugin::FoundPlugin& plugin : setup.catalog.plugins())
      if (plugin.manifest.kind == plugin::PluginKind::kTransport) wanted.push_back(plugin);
  return wanted;
}

std::unique_ptr<plugin::StrategyPlugin> open_strategy(plugin::PluginHost& host,
                                                      const plugin::FoundPlugin& found,
                                                      const plugin::OptionValues& values,
                                                      const plugin::PluginLog& log) {
  const plugin::LoadedPlugin<convoy_strategy> loaded = host.load_strategy(found);
  host.try_first(found, "creating it", [&] { plugin::StrategyPlugin(loaded, values); });
  auto strategy = std::make_unique<plugin::StrategyPlugin>(loaded, values, log);
  strategy->set_trial([&host, found](const std::function<void()>& work) {
    host.try_first(found, "planning or giving a kernel", work);
  });
  return strategy;
}

std::unique_ptr<plugin::StrategyPlugin> load_strategy_of(const Setup& setup,
                                                         const select::Candidate& candidate,
                                                         const plugin::PluginLog& log) {
  const plugin::FoundPlugin found =
      setup.catalog.find(plugin::PluginKind::kStrategy, candidate.strategy);
  plugin::OptionValues values = given_options(found.manifest, setup.options);
  plugin::OptionValues chosen = candidate.options;
  values.merge(chosen);  // options given by the user take precedence
  if (std::ranges::find(found.manifest.options, kAllReduceSpec, &plugin::OptionDeclaration::name) !=
      found.manifest.options.end())
    add_use_nccl(setup, values);
  return open_strategy(*setup.host, found, values, log);
}

}  // namespace convoy::job
