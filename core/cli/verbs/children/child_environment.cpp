#include "core/cli/verbs/children/child_environment.hpp"

#include <algorithm>
#include <array>

#include "core/cli/flags/flag_parser.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to programs

namespace convoy::cli {
namespace {

constexpr std::array<std::string_view, 5> kOfAllRuns = {"repeat", "against", "against_program",
                                                        "report", "output_file"};

constexpr std::array<std::string_view, 2> kOfOneRun = {"train_dir", "trace_file"};

bool is_left_out(std::string_view variable) {
  const auto is_named = [&](std::string_view flag) { return environment_name(flag) == variable; };
  return is_named("flagfile") || std::ranges::any_of(kOfAllRuns, is_named) ||
         std::ranges::any_of(kOfOneRun, is_named);
}

}  // namespace

bool is_of_all_runs(std::string_view flag) {
  return std::ranges::find(kOfAllRuns, flag) != kOfAllRuns.end();
}

std::span<const std::string_view> flags_of_one_run() {
  return kOfOneRun;
}

std::vector<std::string> child_environment() {
  return child_environment(environ);
}

std::vector<std::string> child_environment(const char* const* environment) {
  std::vector<std::string> kept;
  for (; *environment != nullptr; ++environment) {
    const std::string_view text = *environment;
    if (!is_left_out(text.substr(0, text.find('=')))) kept.emplace_back(text);
  }
  return kept;
}

}  // namespace convoy::cli
