#include "core/cli/verbs/run_task.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/system/system_refusal.hpp"
#include "core/base/text/json.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/job/tasks/task.hpp"
#include "core/job/tasks/task_messages.hpp"
#include "core/job/training/run.hpp"
#include "core/plugin/device_choice.hpp"

namespace convoy::cli {
namespace {

constexpr const char* kCommandRound = "command";
constexpr const char* kFilesRound = "files";

// Refuses options that are not supported on several hosts, before any task waits for others.
void check_supported(const JobOptions& options) {
  const auto refuse = [](const char* flag, const char* why) {
    fail(ExitCode::kUsage, "--{} is not supported on several hosts: {}; leave it out", flag, why);
  };
  if (options.evaluation.forward_only || options.evaluation.evaluate_only)
    fail(ExitCode::kUsage,
         "--{} is not supported on several hosts, because it needs no other task; start it as one "
         "process, without --job_name and launchers",
         options.evaluation.forward_only ? "forward_only" : "eval");
  if (options.input_only) refuse("input_only", "it measures one host");
  if (options.auto_mode == AutoMode::kMeasure)
    refuse("auto=measure", "plans are not exchanged between tasks");
  if (options.task.restarts > 0 && options.checkpoints.train_dir.empty())
    fail(ExitCode::kUsage,
         "--restarts={} needs --train_dir, because the tasks continue from a checkpoint; give a "
         "folder, and --save_model_steps or --save_model_secs to save during training",
         options.task.restarts);
}

void take_sizes(TaskOptions& options, const network::TaskIdentity& identity) {
  options.workers = static_cast<std::uint32_t>(identity.workers);
  options.servers = static_cast<std::uint32_t>(identity.servers);
}

// Files that only the chief writes, by flag.
using ChiefsFiles = std::map<std::string, std::string>;

ChiefsFiles chiefs_files(const JobOptions& options) {
  ChiefsFiles files{{"output_file", options.output_file},
                    {"trace_file", options.trace_file},
                    {"report", options.report_file}};
  std::erase_if(files, [](const auto& file) { return file.second.empty(); });
  return files;
}

// A launcher gives all tasks the chief's flags. Then there is nothing to report.
void tell_files_without_effect(const ChiefsFiles& own, const ChiefsFiles& chiefs,
                               Terminal& terminal) {
  for (const auto& [flag, path] : own)
    if (const auto found = chiefs.find(flag); found == chiefs.end() || found->second != path)
      terminal.notice(
          fmt::format("--{}={} has no effect on this task: the file is worker 0's, so give it the "
                      "flag",
                      flag, path));
}

// All workers and servers must call this.
void compare_files(job::Task& task, const ChiefsFiles& own, Terminal& terminal) {
  const std::string chiefs = task.from_chief(kFilesRound, json_text(nlohmann::json(own)));
  if (task.restarts() > 0) return;
  ChiefsFiles of_chief;
  job::read_message("files", [&] { of_chief = parse_json(chiefs).get<ChiefsFiles>(); });
  tell_files_without_effect(own, of_chief, terminal);
}

// Only the chief writes files, because all tasks have the same command line.
void keep_files_for_chief(JobOptions& options, const network::TaskIdentity& identity) {
  if (identity.is_chief()) return;
  options.output_file.clear();
  options.trace_file.clear();
  options.report_file.clear();
}

// Returns the exit status; empty if a task was lost and the run goes on with its replacement. The
// other tasks are told about every other error, wherever it occurs in this task.
std::optional<int> run_until_loss(job::Task& task, Terminal& terminal,
                                  const std::function<int()>& attempt) {
  try {
    return attempt();
  } catch (const Error& error) {
    const Error cause = task.explain(error);
    if (!task.goes_on()) throw cause;
    terminal.notice(cause.what());
    return std::nullopt;
  } catch (const std::exception& unforeseen) {
    static_cast<void>(task.explain(error_of(unforeseen)));
    throw;  // unchanged, because main() reports such exceptions itself
  }
}

// Makes attempts until one ends the run. Before each attempt except the first, the tasks join
// again.
int run_to_end(job::Task& task, Terminal& terminal, const network::Introduction& introduction,
               const std::function<int()>& attempt) {
  std::optional<int> status = run_until_loss(task, terminal, attempt);
  while (!status)
    status = run_until_loss(task, terminal, [&] {
      task.rejoin(introduction);
      return attempt();
    });
  return *status;
}

int run_as(job::Task& task, job::Setup& setup, Terminal& terminal,
           std::span<const std::string> arguments) {
  setup.task = &task;
  return job::run(setup, terminal, arguments).exit_status;
}

int run_worker(JobCommand command, network::TaskIdentity identity,
               std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  check_supported(command.options);
  const ChiefsFiles files = chiefs_files(command.options);
  take_sizes(command.options.task, identity);
  keep_files_for_chief(command.options, identity);
  InterruptGuard interrupt;
  // Other tasks may wait for this one, and must be told that it ends.
  interrupt.end_after("preparation");
  // Declared before the task, whose transports are plug-ins of the setup. It is made anew for every
  // attempt.
  auto setup = std::make_unique<job::Setup>(set_up_command(command, err));
  interrupt.end_after_steps();
  Terminal terminal(command.options, interrupt, out, err);
  terminal.show_details(command.verbose);
  // This is what the command line says. A choice that is made later is not introduced after a loss.
  const network::Introduction introduction = job::introduce(*setup);
  job::Task task(std::move(identity), command.options.task, introduction, terminal);
  const nlohmann::json line(std::vector<std::string>(arguments.begin(), arguments.end()));
  return run_to_end(task, terminal, introduction, [&] {
    if (task.restarts() > 0) setup = std::make_unique<job::Setup>(set_up_command(command, err));
    task.from_chief(kCommandRound, json_text(line));
    compare_files(task, files, terminal);
    return run_as(task, *setup, terminal, arguments);
  });
}

// Servers and controllers introduce only their program. They get everything else from the chief.
network::Introduction program_alone() {
  network::Introduction introduction;
  introduction.program_hash = job::program_hash();
  return introduction;
}

// Returns the chief's command line with this task's identity. The devices of a server only update
// variables, so they are the host's processors.
JobCommand command_of_server(const std::string& chiefs, const JobOptions& own) {
  auto arguments = parse_json(chiefs).get<std::vector<std::string>>();
  if (!own.plugin_path.empty()) arguments.push_back("--plugin_path=" + own.plugin_path);
  JobCommand command = read_command(arguments);
  command.options.task = own.task;
  command.options.threads_per_device = own.threads_per_device;
  command.options.device_order.clear();
  command.options.num_devices = 1;
  command.options.data_dir.clear();
  command.options.profile = false;
  plugin::PluginHost host;
  command.options.device = plugin::choose_processors(host, command.catalog).manifest.name;
  return command;
}

int run_server(const JobCommand& own, const network::TaskIdentity& identity, std::ostream& err) {
  InterruptGuard interrupt;
  interrupt.end_after_steps();  // the other tasks are told that this one ends
  std::ostream nowhere(nullptr);
  Terminal terminal(own.options, interrupt, nowhere, err);
  // Declared before the task, whose transports are plug-ins of the setup.
  std::optional<job::Setup> setup;
  job::Task task(identity, own.options.task, program_alone(), terminal);
  return run_to_end(task, terminal, program_alone(), [&] {
    JobCommand command = command_of_server(task.from_chief(kCommandRound, ""), own.options);
    compare_files(task, chiefs_files(own.options), terminal);
    take_sizes(command.options.task, identity);
    keep_files_for_chief(command.options, identity);
    setup.reset();  // destroyed as a whole, because its parts refer to each other
    setup.emplace(
        job::set_up_run(std::move(command.options), std::move(command.catalog), log_to(err)));
    return run_as(task, *setup, terminal, {});
  });
}

int run_controller(const JobCommand& command, network::TaskIdentity identity, std::ostream& out,
                   std::ostream& err) {
  InterruptGuard interrupt;
  interrupt.end_after_steps();  // the other tasks are told that this one ends
  Terminal terminal(command.options, interrupt, out, err);
  job::Task task(std::move(identity), command.options.task, program_alone(), terminal);
  tell_files_without_effect(chiefs_files(command.options), {}, terminal);
  return run_to_end(task, terminal, program_alone(), [&] {
    task.wait_for_end();
    const std::optional<network::Interruption> stop = task.interruption();
    if (stop) terminal.notice(stop->text);
    return static_cast<int>(stop ? stop->code : ExitCode::kOk);
  });
}

}  // namespace

namespace {

// Returns texts such as "device cpu 0.1.0 from /usr/lib/convoy/plugins/convoy_device_cpu.so".
std::vector<std::string> loaded_plugins(const job::Setup& setup) {
  std::vector<std::string> texts;
  const auto add = [&](const plugin::Manifest& manifest) {
    for (const plugin::FoundPlugin& found : setup.catalog.plugins())
      if (found.manifest.kind == manifest.kind && found.manifest.name == manifest.name)
        texts.push_back(fmt::format("{} {} {} from {}", plugin::to_string(manifest.kind),
                                    manifest.name, manifest.version, found.path.string()));
  };
  if (setup.device) add(setup.device->manifest());
  if (setup.strategy) add(setup.strategy->manifest());
  for (const plugin::FoundPlugin& found : setup.catalog.plugins())
    if (found.manifest.kind == plugin::PluginKind::kModel &&
        found.manifest.name == setup.graph->model())
      add(found.manifest);
  return texts;
}

}  // namespace

job::Setup set_up_command(JobCommand command, std::ostream& err) {
  const bool verbose = command.verbose;
  job::Setup setup =
      job::set_up_run(std::move(command.options), std::move(command.catalog), log_to(err, verbose));
  if (verbose) print_notices(err, loaded_plugins(setup));
  setup.notices.insert(setup.notices.begin(), command.notices.begin(), command.notices.end());
  return setup;
}

int run_task(JobCommand command, network::TaskIdentity identity,
             std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  switch (identity.role) {
    case network::Role::kServer:
      return run_server(command, identity, err);
    case network::Role::kController:
      return run_controller(command, std::move(identity), out, err);
    default:
      return run_worker(std::move(command), std::move(identity), arguments, out, err);
  }
}

}  // namespace convoy::cli
