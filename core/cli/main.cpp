#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/system/system_refusal.hpp"
#include "core/cli/inherited_limits.hpp"
#include "core/cli/interrupt.hpp"
#include "core/cli/standard_streams.hpp"
#include "core/cli/unforeseen_end.hpp"
#include "core/cli/verbs/verbs.hpp"
#include "core/job/openmp_environment.hpp"
#include "core/network/addresses.hpp"
#include "core/plugin/culprit.hpp"

namespace {

using convoy::ExitCode;

int end_with(ExitCode code, const char* text) {
  std::cerr << "convoy: error: " << text << '\n';
  return static_cast<int>(code);
}

int run(std::span<const std::string> arguments) {
  try {
    convoy::cli::settle_inherited_limits();
    return convoy::cli::run_command(arguments, std::cout, std::cerr);
  } catch (const convoy::Error& error) {
    return end_with(error.code(), error.what());
  } catch (const std::exception& error) {
    if (const std::optional<convoy::Error> refusal = convoy::refusal_by_system(error))
      return end_with(refusal->code(), refusal->what());
    std::cerr << "convoy: internal error: " << error.what() << '\n';
    return static_cast<int>(ExitCode::kFailed);
  }
}

// Output that could not be written is lost, and a full disk must not look like success.
int after_writing(int code) {
  if (std::cout.flush()) return code;
  const int failed =
      end_with(ExitCode::kFailed,
               "standard output could not be written completely: the disk is full, the file has "
               "reached its size limit (`ulimit -f`), or the reader has gone or no longer reads");
  return code == 0 ? failed : code;
}

// If a standard stream is closed, the next file that is opened would get its number, and with it
// everything that is printed. The substitute can be neither read nor written, like a closed stream.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0)
      ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// Resets inherited signal actions, limits and closed streams that would break this program.
void settle_inheritance() {
  // A write beyond `ulimit -f` then fails with an error instead of a signal.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);  // if it is ignored, the exit status of child processes is lost
  convoy::cli::end_at_processor_limit();
  occupy_closed_streams();
}

}  // namespace

int main(int argc, char** argv) {
  settle_inheritance();
  convoy::cli::let_standard_streams_end();
  // Kernels before 5.18 can start a program without any arguments, even without its name.
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  convoy::job::set_openmp_environment();
  convoy::network::resolve_names_by_system();
  convoy::cli::tell_unforeseen_ends();
  const int code = after_writing(run(arguments));
  convoy::cli::end_is_foreseen();
  convoy::plugin::watch_ending();
  return code;
}
