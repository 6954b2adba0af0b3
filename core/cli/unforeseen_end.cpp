#include "core/cli/unforeseen_end.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/process/last_words.hpp"
#include "core/base/system/system_refusal.hpp"
#include "core/plugin/child_call.hpp"
#include "core/plugin/culprit.hpp"

namespace convoy::cli {
namespace {

// The handlers can access nothing but globals.
std::terminate_handler handler_before = nullptr;
std::atomic<bool> is_foreseen = false;

// Handles an exception that left its thread. The process ends without the clean-up of other
// threads.
void end_by_exception() {
  if (const std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
      if (const std::optional<Error> refusal = refusal_by_system(error)) plugin::end_with(*refusal);
    } catch (...) {  // other exceptions go to the previous handler
    }
  }
  handler_before();
}

extern "C" void end_by_library() {
  if (is_foreseen || plugin::is_child_call()) return;
  say_at_once(
      "\nconvoy: error: a library has ended the process. Where the line above says that no thread "
      "could be created: `ulimit -u`, the control group and, by the memory of their stacks "
      "(OMP_STACKSIZE for some), `ulimit -v` limit threads; raise the limit, or take a smaller "
      "--num_intra_threads or fewer devices\n");
  std::fflush(nullptr);
  ::_exit(static_cast<int>(ExitCode::kUnavailable));
}

}  // namespace

void tell_unforeseen_ends() {
  handler_before = std::set_terminate(end_by_exception);
  std::atexit(end_by_library);
}

void end_is_foreseen() {
  is_foreseen = true;
}

}  // namespace convoy::cli
