#include "core/cli/verbs/run.hpp"

#include <ostream>

#include "core/cli/flags/command.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/cli/verbs/run_task.hpp"
#include "core/job/run.hpp"
#include "core/job/task.hpp"

namespace convoy {

int run_training_verb(std::span<const std::string> arguments, std::ostream& out,
                      std::ostream& err) {
  if (wants_help(arguments)) {
    out << "convoy run [flags]: trains a model and prints images per second.\n\n"
        << command_help(arguments);
    return 0;
  }
  JobCommand command = read_command(arguments);
  if (auto identity = job::identify(command.options))
    return run_task(std::move(command), std::move(*identity), arguments, out, err);
  InterruptGuard interrupt;
  job::Setup setup = set_up_command(std::move(command), err);
  Terminal terminal(setup.options, interrupt, out, err);
  return job::run(setup, terminal, arguments).exit_status;
}

}  // namespace convoy
