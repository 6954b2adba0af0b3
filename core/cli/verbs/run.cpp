#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/cli/flags/command.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/cli/verbs/run_repeats.hpp"
#include "core/cli/verbs/run_task.hpp"
#include "core/job/options.hpp"
#include "core/job/tasks/task.hpp"
#include "core/job/training/run.hpp"
#include "core/job/without_effect.hpp"

namespace convoy::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  convoy run            resnet50 on the best devices here
  convoy run --model=lenet --device=cpu --num_devices=2 --report=run.html
  convoy run --num_gpus=8 --batch_size=64 --variable_update=replicated
  convoy run --data_dir=FOLDER --num_epochs=90 --train_dir=FOLDER
  convoy run --repeat=5 --output_file=new.json; convoy diff old.json new.json
)";

void tell_norms_without_effect(JobCommand& command) {
  if (!command.options.gradients.report_norms) return;
  if (const char* flag = job::flag_without_training(command.options))
    command.notices.push_back(fmt::format(
        "--report_gradient_norms has no effect with --{}, which computes no gradients", flag));
  else if (command.options.output_file.empty())
    command.notices.emplace_back(
        "--report_gradient_norms has no effect without --output_file, to which the norms are "
        "written");
}

// Reports task flags that have no effect in a run of one process.
void tell_task_flags_without_effect(JobCommand& command) {
  const TaskOptions usual;
  const TaskOptions& task = command.options.task;
  std::vector<std::pair<std::string, bool>> flags{
      {"controller_host", !task.controller_host.empty()},
      {"transport", !task.transports.empty()},
      {"network_channels", task.network_channels != usual.network_channels},
      {"join_timeout", task.join_timeout != usual.join_timeout},
      {"peer_timeout", task.peer_timeout != usual.peer_timeout},
      {"restarts", task.restarts > 0},
      {"advertise_address", !task.advertise_address.empty()},
      {"certificate", !task.certificate.empty()},
      {"private_key", !task.private_key.empty()},
      {"certificate_authority", !task.certificate_authority.empty()},
      {"insecure_network", task.insecure_network}};
  for (const plugin::FoundPlugin& plugin : command.catalog.plugins())
    if (plugin.manifest.kind == plugin::PluginKind::kTransport)
      for (const plugin::OptionDeclaration& option : plugin.manifest.options)
        flags.emplace_back(option.name, command.options.plugin_options.contains(option.name));
  const std::string notice = job::without_effect(
      flags,
      "this process runs alone; `convoy launch`, a launcher or --job_name starts several tasks");
  if (!notice.empty()) command.notices.push_back(notice);
}

int run_job(JobCommand command, std::span<const std::string> arguments, std::ostream& out,
            std::ostream& err) {
  if (command.repeats.value_or(1) > 1 || !command.against.empty() ||
      !command.against_program.empty())
    return run_repeats(command, arguments, out, err);
  if (auto identity = job::identify(command.options))
    return run_task(std::move(command), std::move(*identity), arguments, out, err);
  tell_task_flags_without_effect(command);
  InterruptGuard interrupt;
  const bool verbose = command.verbose;
  job::Setup setup = set_up_command(std::move(command), err);
  Terminal terminal(setup.options, interrupt, out, err);
  terminal.show_details(verbose);
  return job::run(setup, terminal, arguments).exit_status;
}

}  // namespace

int run_training_verb(std::span<const std::string> arguments, std::ostream& out,
                      std::ostream& err) {
  if (wants_help(arguments)) {
    out << usage_text({"run [flags]", "Trains a model and prints images per second."}) +
               command_help(arguments) + (help_topic(arguments).empty() ? kExamples : "");
    return 0;
  }
  JobCommand command = read_command(arguments);
  tell_norms_without_effect(command);
  command.options.keep_steps = false;  // so that memory does not grow with the length of a run
  return run_job(std::move(command), arguments, out, err);
}

}  // namespace convoy::cli
