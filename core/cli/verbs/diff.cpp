#include "core/cli/verbs/verbs.hpp"

#include <fmt/ranges.h>

#include <future>
#include <ostream>
#include <vector>

#include "core/base/error.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/report/compare/difference_text.hpp"

namespace convoy::cli {
namespace {

using Writer = std::string (*)(const compare::DifferenceReport& report);

struct DiffOptions {
  Writer write = compare::difference_text;
  compare::DifferenceOptions statistics;
  double fail_below = 0;
  bool force = false;
};

constexpr Bounds kShare = {0.0001, 0.9999};

std::vector<FlagDefinition> diff_flags(DiffOptions& options) {
  compare::DifferenceOptions& statistics = options.statistics;
  return {
      bind_choice("form", options.write,
                  {{"text", compare::difference_text},
                   {"csv", compare::difference_csv},
                   {"json", compare::difference_json},
                   {"markdown", compare::difference_markdown}},
                  "How the result is written."),
      bind_flag("confidence", statistics.confidence, Bounds{0.5, kShare.most},
                "Confidence level of the interval."),
      bind_flag("run_noise", statistics.run_noise, kShare,
                "Assumed relative difference between runs of the same command, for a side with "
                "only one run."),
      bind_flag("quantile", statistics.quantile, kShare,
                "The step of a run that counts: this share of its steps is as fast or faster. 0.5 "
                "is the median, which other work on the machine disturbs more."),
      bind_flag("fail_below", options.fail_below, Bounds{0, 10},
                "End with code 4 when a difference is seen and the second's speed is below this "
                "share of the first's, such as 0.97."),
      bind_flag("force", options.force, "Compare even if machines, models or data differ.")};
}

constexpr VerbUsage kDiffUsage = {
    "diff FIRST.json SECOND.json [flags]",
    "Says whether the second run is faster than the first, with an interval. A side is a record of "
    "run --output_file=x.json, best with --repeat=5, or several of them: a1.json,a2.json. Times "
    "are per image and those of fast steps (--quantile), so batch, strategy and number of devices "
    "may differ."};

void require_alike(const compare::ComparedRecord& a, const compare::ComparedRecord& b, bool force,
                   std::ostream& err) {
  const std::vector<std::string> reasons = unlike(a, b);
  if (reasons.empty()) return;
  const std::string text = fmt::format("{}", fmt::join(reasons, "; "));
  if (!force)
    fail(ExitCode::kUsage,
         "{} and {} differ, so their speeds cannot show the effect of a change: {}; --force "
         "compares them anyway",
         a.side.name, b.side.name, text);
  err << "convoy: compared although they differ: " << text << '\n';
}

}  // namespace

int run_diff_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  DiffOptions options;
  const auto files = read_verb_arguments(arguments, kDiffUsage, diff_flags(options), out);
  if (!files) return static_cast<int>(ExitCode::kOk);
  if (files->size() != 2)
    fail(ExitCode::kUsage,
         "diff compares two records and got {}; try: convoy diff a.json "
         "b.json",
         files->size());
  // Reading long records takes most of the time, so both are read in parallel.
  auto second =
      std::async(std::launch::async, [&] { return compare::read_compared(files->back()); });
  const compare::ComparedRecord a = compare::read_compared(files->front());
  const compare::ComparedRecord b = second.get();
  require_alike(a, b, options.force, err);
  print_notices(err, a.notices);
  print_notices(err, b.notices);
  const compare::Difference difference = compare::compare(a.side, b.side, options.statistics);
  out << options.write({a, b, difference});
  const bool seen = difference.verdict != compare::Verdict::kNoDifference;
  if (!seen || difference.speed_ratio() >= options.fail_below)
    return static_cast<int>(ExitCode::kOk);
  err << fmt::format("convoy: {:.3f} of the first's speed is below --fail_below={}\n",
                     difference.speed_ratio(), options.fail_below);
  return static_cast<int>(ExitCode::kThreshold);
}

}  // namespace convoy::cli
