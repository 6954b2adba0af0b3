#include "core/cli/auto_check.hpp"

#include <algorithm>
#include <ostream>

#include "core/base/error.hpp"
#include "core/cli/auto_choice.hpp"
#include "core/cli/check_verb.hpp"
#include "core/cli/device_counts.hpp"
#include "core/cli/plan_subject.hpp"

namespace convoy {
namespace {

// A command line of `convoy check` for the strategy that was taken.
std::vector<std::string> check_arguments(const RunSetup& setup,
                                         std::span<const std::uint32_t> counts) {
  std::vector<std::string> arguments = {setup.decision->chosen.strategy,
                                        "--model=" + setup.options.model,
                                        "--plugin_path=" + setup.options.plugin_path};
  for (const auto& [option, value] : setup.decision->chosen.options)
    arguments.push_back("--" + option + "=" + value);
  if (!counts.empty()) arguments.push_back("--num_devices=" + counts_text(counts));
  return arguments;
}

}  // namespace

int run_auto_check(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  if (wants_help(arguments)) {
    out << "convoy check auto [flags]: proves what the strategy computes that auto takes on a "
           "described machine.\n\n"
        << run_help(arguments, simulation_flags());
    return static_cast<int>(ExitCode::kOk);
  }
  const DeviceCounts counts = take_counts(arguments);
  const RunSetup setup = set_up_imagined_run(
      counts.arguments, simulation_flags(),
      [&](const RunSetup& unfinished) {
        std::optional<std::uint32_t> most;
        if (!counts.counts.empty())
          most = *std::max_element(counts.counts.begin(), counts.counts.end());
        return choose_imagined(unfinished, most);
      },
      log_to(err));
  for (const std::string& notice : setup.notices) err << "convoy: " << notice << '\n';
  return run_check_verb(check_arguments(setup, counts.counts), out, err);
}

}  // namespace convoy
