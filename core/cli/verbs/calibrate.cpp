#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>

#include <ostream>

#include "core/base/error.hpp"
#include "core/base/files/output_file.hpp"
#include "core/calibrate/calibrate.hpp"
#include "core/calibrate/profile_file.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/show/calibration_report.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/data/pipeline/dataset.hpp"
#include "core/graph/assembler.hpp"
#include "core/job/limits.hpp"
#include "core/job/setup.hpp"
#include "core/job/sharing_nothing.hpp"
#include "core/plugin/catalog.hpp"
#include "core/plugin/device_choice.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/model_plugin.hpp"
#include "core/plugin/search_path.hpp"
#include "core/simulate/machine/described_constants.hpp"

namespace convoy::cli {
namespace {

struct CalibrateOptions {
  std::optional<std::string> device;
  std::optional<std::string> file;
  std::optional<std::string> model;
  std::optional<std::uint32_t> batch_size;
  bool quick = false;
  bool json = false;
  std::string plugin_path;
  bool force = false;
};

std::vector<FlagDefinition> calibrate_flags(CalibrateOptions& options) {
  return {
      bind_flag("device", options.device,
                "Device plug-in to measure, by name or path; it must compute on this machine's "
                "processors. Without it, the most preferred one that does."),
      bind_flag("calibration_file", options.file,
                "File for the measurements. Without it: one in the cache folder."),
      bind_flag("model", options.model,
                "Also measure this model's own layers, for predictions of it."),
      bind_flag("batch_size", options.batch_size, Bounds{1, kMostImages},
                "Images per device for --model. Without it: the model's."),
      bind_flag("quick", options.quick,
                "Small vectors and layers only, in a second. Predictions of large networks from it "
                "may be several times too slow."),
      bind_flag("json", options.json, "JSON instead of text: the content of the file."),
      plugin_path_flag(options.plugin_path),
      bind_flag("force", options.force, "Measure anew and replace a file that is there already.")};
}

constexpr VerbUsage kCalibrateUsage = {
    "calibrate [flags]",
    "Measures this machine's devices in about ten seconds. Predictions, such as those of convoy "
    "simulate --device=cpu, then use the measurements. Nothing else should be running. It needs up "
    "to 2 GB of memory plus 0.75 GB per core (with --quick 0.2 GB plus 0.1 GB per core). Its first "
    "vectors are four times as large as all caches, or a quarter of the free memory if that is "
    "less. With less memory it leaves out networks, or ends before it measures."};
constexpr const char* kSoftware = "convoy";

calibrate::ProbeNetwork model_network(const CalibrateOptions& given, const plugin::Catalog& catalog,
                                      plugin::PluginHost& host, const plugin::PluginLog& log) {
  const plugin::FoundPlugin found = catalog.find(plugin::PluginKind::kModel, *given.model);
  plugin::ModelPlugin model(host.load_model(found), {}, log);
  const convoy_model_info info = model.info();
  return {found.manifest.name,
          graph::assemble_graph(found.manifest.name, info.image_size,
                                data::find_dataset(info.dataset).classes,
                                [&](const convoy_graph_builder& builder) { model.build(builder); }),
          given.batch_size.value_or(info.batch_size)};
}

plugin::FoundPlugin measured_device(const CalibrateOptions& given, const plugin::Catalog& catalog,
                                    plugin::PluginHost& host) {
  return given.device ? plugin::choose_device(host, catalog, *given.device)
                      : plugin::choose_processors(host, catalog);
}

std::filesystem::path output_path(const CalibrateOptions& given,
                                  const calibrate::Fingerprint& here) {
  if (given.file == "") fail(ExitCode::kUsage, "--calibration_file= names no file");
  if (given.file) return *given.file;
  std::filesystem::path path = calibrate::default_profile_path(here);
  if (path.empty())
    fail(ExitCode::kUsage,
         "the environment names no folder for caches: set CONVOY_CACHE_DIR (or HOME or "
         "XDG_CACHE_HOME, absolute paths), or say with --calibration_file=FILE where to write");
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error)
    fail(ExitCode::kUsage,
         "the folder {} cannot be created ({}); --calibration_file=FILE writes elsewhere",
         path.parent_path().string(), error.message());
  return path;
}

// Describes the content of a file that would be replaced.
std::string content_of(const std::filesystem::path& file) {
  try {
    const calibrate::MachineProfile profile = calibrate::read_profile(file);
    return fmt::format("it was measured on {}, {}", profile.created, trust_text(profile));
  } catch (const Error& error) {
    return fmt::format("this program cannot read it as a calibration ({})", error.what());
  }
}

// This is checked before the machine is measured, not after it.
void refuse_to_replace(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  fail(ExitCode::kUsage,
       "{} exists already: {}; --force measures again and replaces it, --calibration_file=FILE "
       "writes elsewhere",
       file.string(), content_of(file));
}

class CalibrateVerb {
 public:
  CalibrateVerb(const CalibrateOptions& given, std::ostream& err)
      : given_(given),
        err_(err),
        log_(log_to(err)),
        catalog_(plugin::installed_plugins(given.plugin_path)),
        facts_(calibrate::read_processor_facts()),
        device_(host_.load_device(measured_device(given, catalog_, host_)), {},
                job::warnings_only(log_)) {
    if (!device_.has(CONVOY_DEVICES_ON_HOST_PROCESSORS))
      fail(ExitCode::kUsage,
           "--device={}: calibrate measures devices that compute on this machine's processors; "
           "rates of other devices are in the catalogue (share/catalogue/devices.json)",
           device_.manifest().name);
  }

  int execute(std::ostream& out) {
    const plugin::Manifest& manifest = device_.manifest();
    const std::filesystem::path file = output_path(
        given_, calibrate::make_fingerprint(facts_, manifest.name + " " + manifest.version));
    check_output_file(file);
    if (!given_.force) refuse_to_replace(file);
    const calibrate::MachineProfile profile = measure();
    const std::string text = calibrate::profile_text(profile);
    write_output_file(file, text);
    if (given_.json)
      out << text;
    else
      print_calibration(out, profile);
    err_ << fmt::format("convoy: written to {}\n", file.string());
    if (much_disturbed(profile))
      err_ << fmt::format(
          "convoy: other processes used {:.0f} % of the cores' time during the measurement, and "
          "predictions will say so; calibrate again with --force when nothing else runs\n",
          100 * *profile.disturbance);
    return static_cast<int>(ExitCode::kOk);
  }

 private:
  calibrate::MachineProfile measure() {
    plugin::StrategyPlugin strategy(
        host_.load_strategy(job::strategy_that_shares_nothing(catalog_, "calibrate")), {}, log_);
    calibrate::CalibrationOptions options;
    options.quick = given_.quick;
    options.software =
        simulate::read_software_profile(plugin::share_directory() / "profiles", kSoftware);
    if (given_.model) options.more_networks.push_back(model_network(given_, catalog_, host_, log_));
    return calibrate::calibrate(
        device_, strategy, facts_, options,
        [this](const std::string& text) { err_ << "convoy: " << text << '\n'; });
  }

  const CalibrateOptions& given_;
  std::ostream& err_;
  plugin::PluginLog log_;
  plugin::Catalog catalog_;
  plugin::PluginHost host_;
  calibrate::ProcessorFacts facts_;
  plugin::DevicePlugin device_;
};

}  // namespace

int run_calibrate_verb(std::span<const std::string> arguments, std::ostream& out,
                       std::ostream& err) {
  CalibrateOptions options;
  const auto words = read_verb_arguments(arguments, kCalibrateUsage, calibrate_flags(options), out);
  if (!words) return static_cast<int>(ExitCode::kOk);
  refuse_words(*words, "calibrate");
  if (options.batch_size && !options.model)
    fail(ExitCode::kUsage, "--batch_size needs --model: it is the batch for measuring that model");
  return CalibrateVerb(options, err).execute(out);
}

}  // namespace convoy::cli
