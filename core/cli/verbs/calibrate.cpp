#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>

#include <charconv>
#include <ostream>

#include "core/base/error.hpp"
#include "core/base/output_file.hpp"
#include "core/calibrate/calibrate.hpp"
#include "core/calibrate/profile_file.hpp"
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
#include "core/simulate/described_constants.hpp"

namespace convoy::cli {
namespace {

const VerbFlag kFlags[] = {
    {"device", true,
     "Device plug-in to measure, by name or path; it must compute on this machine's processors. "
     "Default: the one of these that --device=auto prefers."},
    {"calibration_file", true, "File for the measurements; default: in the cache folder."},
    {"model", true, "Also measure this model's own layers, for predictions of it."},
    {"batch_size", true, "Images per device for --model; default: the model's."},
    {"quick", false, "Small vectors and layers only: rough, in a second."},
    {"json", false, "JSON instead of text: the content of the file."},
    {"plugin_path", true, "Files and directories to look for plug-ins in first, separated by ':'."},
    {"force", false, "Measure anew and replace a file that is there already."},
    {"help", false, "This text."},
};
constexpr const char* kSoftware = "convoy";

std::uint32_t batch_size(const VerbArguments& given, std::uint32_t otherwise) {
  if (!given.has("batch_size")) return otherwise;
  const std::string text = given.value("batch_size");
  std::uint32_t batch = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, batch);
  if (error != std::errc{} || next != end || batch == 0 || batch > kMostImages)
    fail(ExitCode::kUsage, "--batch_size={}: it must be an integer from 1 to {}", text,
         kMostImages);
  return batch;
}

calibrate::ProbeNetwork model_network(const VerbArguments& given, const Catalog& catalog,
                                      PluginHost& host, const PluginLog& log) {
  const FoundPlugin found = catalog.find(PluginKind::kModel, given.value("model"));
  ModelPlugin model(host.load_model(found), {}, log);
  const convoy_model_info info = model.info();
  return {
      found.manifest.name,
      assemble_graph(found.manifest.name, info.image_size, data::find_dataset(info.dataset).classes,
                     [&](const convoy_graph_builder& builder) { model.build(builder); }),
      batch_size(given, info.batch_size)};
}

FoundPlugin measured_device(const VerbArguments& given, const Catalog& catalog, PluginHost& host) {
  return given.has("device") ? choose_device(host, catalog, given.value("device"))
                             : choose_processors(host, catalog);
}

std::filesystem::path output_path(const VerbArguments& given, const calibrate::Fingerprint& here) {
  if (given.has("calibration_file")) {
    if (given.value("calibration_file").empty())
      fail(ExitCode::kUsage, "--calibration_file= names no file");
    return given.value("calibration_file");
  }
  std::filesystem::path path = calibrate::default_profile_path(here);
  if (path.empty())
    fail(ExitCode::kUsage,
         "the environment names no folder for caches (HOME, XDG_CACHE_HOME or CONVOY_CACHE_DIR, an "
         "absolute path): set one, or say with --calibration_file=FILE where to write");
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error)
    fail(ExitCode::kUsage,
         "the folder {} cannot be made ({}); --calibration_file=FILE writes "
         "elsewhere",
         path.parent_path().string(), error.message());
  return path;
}

// Describes the contents of a file that would be replaced.
std::string content_of(const std::filesystem::path& file) {
  try {
    const calibrate::MachineProfile profile = calibrate::read_profile(file);
    return fmt::format("it was measured on {}, {}", profile.created, trust_text(profile));
  } catch (const Error& error) {
    return fmt::format("it is no calibration that this program reads ({})", error.what());
  }
}

// Before the machine is measured, not after it.
void refuse_to_replace(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  fail(ExitCode::kUsage,
       "{} is there already: {}; --force measures anew and replaces it, --calibration_file=FILE "
       "writes elsewhere",
       file.string(), content_of(file));
}

class CalibrateVerb {
 public:
  CalibrateVerb(const VerbArguments& given, std::ostream& err)
      : given_(given),
        err_(err),
        log_(log_to(err)),
        catalog_(installed_plugins(given.value("plugin_path"))),
        facts_(calibrate::read_processor_facts()),
        device_(host_.load_device(measured_device(given, catalog_, host_)), {},
                job::warnings_only(log_)) {
    if (!device_.has(CONVOY_DEVICES_ON_HOST_PROCESSORS))
      fail(ExitCode::kUsage,
           "--device={}: calibrate measures devices that compute on this machine's processors; "
           "rates of other devices are in the catalogue (share/catalogue/devices.json)",
           given.value("device"));
  }

  int execute(std::ostream& out) {
    const Manifest& manifest = device_.manifest();
    const std::filesystem::path file = output_path(
        given_, calibrate::make_fingerprint(facts_, manifest.name + " " + manifest.version));
    check_output_file(file);
    if (!given_.has("force")) refuse_to_replace(file);
    const calibrate::MachineProfile profile = measure();
    const std::string text = calibrate::profile_text(profile);
    write_output_file(file, text);
    if (given_.has("json"))
      out << text;
    else
      print_calibration(out, profile);
    err_ << fmt::format("convoy: written to {}\n", file.string());
    if (much_disturbed(profile))
      err_ << fmt::format(
          "convoy: others took {:.0f} % of the cores' time meanwhile, and predictions will say so; "
          "when nothing else runs, calibrate again with --force\n",
          100 * *profile.disturbance);
    return static_cast<int>(ExitCode::kOk);
  }

 private:
  calibrate::MachineProfile measure() {
    StrategyPlugin strategy(
        host_.load_strategy(job::strategy_that_shares_nothing(catalog_, "calibrate")), {}, log_);
    calibrate::CalibrationOptions options;
    options.quick = given_.has("quick");
    options.software = simulate::read_software_profile(share_directory() / "profiles", kSoftware);
    if (given_.has("model"))
      options.more_networks.push_back(model_network(given_, catalog_, host_, log_));
    return calibrate::calibrate(
        device_, strategy, facts_, options,
        [this](const std::string& text) { err_ << "convoy: " << text << '\n'; });
  }

  const VerbArguments& given_;
  std::ostream& err_;
  PluginLog log_;
  Catalog catalog_;
  PluginHost host_;
  calibrate::ProcessorFacts facts_;
  DevicePlugin device_;
};

}  // namespace

int run_calibrate_verb(std::span<const std::string> arguments, std::ostream& out,
                       std::ostream& err) {
  const VerbArguments given = parse_verb_arguments(arguments, kFlags);
  if (given.has("help")) {
    out << verb_help(
        "calibrate [flags]",
        "Measures this machine's devices in about ten seconds. Predictions, such as those of "
        "convoy simulate --device=cpu, then use the measurements. Nothing else should "
        "be running.",
        kFlags);
    return static_cast<int>(ExitCode::kOk);
  }
  if (!given.positional.empty())
    fail(ExitCode::kUsage, "calibrate takes flags only, but '{}' was given",
         given.positional.front());
  if (given.has("batch_size") && !given.has("model"))
    fail(ExitCode::kUsage, "--batch_size needs --model: it is the batch for measuring that model");
  return CalibrateVerb(given, err).execute(out);
}

}  // namespace convoy::cli
