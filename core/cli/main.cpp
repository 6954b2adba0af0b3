#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cli/verbs/verbs.hpp"
#include "core/job/openmp_environment.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  convoy::job::set_openmp_environment();
  try {
    return convoy::run_command(arguments, std::cout, std::cerr);
  } catch (const convoy::Error& error) {
    std::cerr << "convoy: error: " << error.what() << '\n';
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::cerr << "convoy: internal error: " << error.what() << '\n';
    return static_cast<int>(convoy::ExitCode::kFailed);
  }
}
