#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/error.hpp"
#include "core/cli/verbs/verbs.hpp"
#include "core/job/openmp_environment.hpp"

namespace {

using convoy::ExitCode;

int end_with(ExitCode code, const char* text) {
  std::cerr << "convoy: error: " << text << '\n';
  return static_cast<int>(code);
}

int run(std::span<const std::string> arguments) {
  try {
    return convoy::run_command(arguments, std::cout, std::cerr);
  } catch (const convoy::Error& error) {
    return end_with(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return end_with(ExitCode::kUnavailable,
                    "the system gives no more memory; a smaller --batch_size, fewer devices and "
                    "larger buckets need less, and `ulimit -v` may hold a limit");
  } catch (const std::filesystem::filesystem_error& error) {
    return end_with(ExitCode::kFailed, error.what());
  } catch (const std::system_error& error) {
    return end_with(ExitCode::kUnavailable,
                    fmt::format("the system refuses: {}; `ulimit -u` and the control group limit "
                                "threads, `ulimit -n` files",
                                error.what())
                        .c_str());
  } catch (const std::exception& error) {
    std::cerr << "convoy: internal error: " << error.what() << '\n';
    return static_cast<int>(ExitCode::kFailed);
  }
}

// What could not be written is lost: a full disk must not look like success.
int after_writing(int code) {
  if (std::cout.flush()) return code;
  const int failed = end_with(ExitCode::kFailed,
                              "standard output could not be written to its end: the disk is full, "
                              "or whoever reads has gone");
  return code == 0 ? failed : code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // who writes more than `ulimit -f` allows hears of it then
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  convoy::job::set_openmp_environment();
  return after_writing(run(arguments));
}
