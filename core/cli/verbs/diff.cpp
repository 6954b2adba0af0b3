#include "core/cli/verbs/verbs.hpp"

#include <fmt/ranges.h>

#include <charconv>
#include <future>
#include <ostream>
#include <vector>

#include "core/base/error.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/report/compare/difference_text.hpp"

namespace convoy::cli {
namespace {

const std::vector<VerbFlag> kDiffFlags = {
    {"form", true, "text, csv, json or markdown (text)"},
    {"confidence", true, "confidence level of the interval, between 0.5 and 1 (0.96)"},
    {"run_noise", true,
     "assumed relative difference between runs of the same command, for a side with only one run "
     "(0.01)"},
    {"quantile", true,
     "the step of a run that counts: this share of its steps is as fast or faster (0.1); 0.5 is "
     "the median, which others on the machine change more"},
    {"fail_below", true,
     "end with code 4 when a difference is seen and the second's speed is below this share of the "
     "first's, such as 0.97"},
    {"force", false, "compare other machines, models or data all the same"},
    {"help", false, "print this"}};

double parse_number(const VerbArguments& given, const char* flag, double otherwise, double least,
                    double most) {
  if (!given.has(flag)) return otherwise;
  const std::string text = given.value(flag);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > least && value < most))
    fail(ExitCode::kUsage, "--{}={}: it must be a number above {:g} and below {:g}", flag, text,
         least, most);
  return value;
}

using Writer = std::string (*)(const compare::DifferenceReport& report);

Writer writer_of(const std::string& form) {
  if (form == "text" || form.empty()) return compare::difference_text;
  if (form == "csv") return compare::difference_csv;
  if (form == "json") return compare::difference_json;
  if (form == "markdown") return compare::difference_markdown;
  fail(ExitCode::kUsage, "--form={}: it must be text, csv, json or markdown", form);
}

void require_alike(const compare::ComparedRecord& a, const compare::ComparedRecord& b,
                   const VerbArguments& given, std::ostream& err) {
  const std::vector<std::string> reasons = unlike(a, b);
  if (reasons.empty()) return;
  const std::string text = fmt::format("{}", fmt::join(reasons, "; "));
  if (!given.has("force"))
    fail(ExitCode::kUsage,
         "{} and {} differ, so their speeds cannot show the effect of a change: {}; --force "
         "compares them anyway",
         a.side.name, b.side.name, text);
  err << "convoy: compared although they differ: " << text << '\n';
}

std::string diff_help() {
  return verb_help(
      "diff FIRST.json SECOND.json [flags]",
      "Says whether the second run is faster than the first, with an interval. A side is a record "
      "of run --output_file=x.json, best with --repeat=5, or several of them: a1.json,a2.json. "
      "Times are per image and those of fast steps (--quantile), so batch, strategy and number of "
      "devices may differ.",
      kDiffFlags);
}

}  // namespace

int run_diff_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  const VerbArguments given = parse_verb_arguments(arguments, kDiffFlags);
  if (given.has("help")) {
    out << diff_help();
    return static_cast<int>(ExitCode::kOk);
  }
  if (given.positional.size() != 2)
    fail(ExitCode::kUsage,
         "diff compares two records and got {}; try: convoy diff a.json "
         "b.json",
         given.positional.size());
  const Writer write = writer_of(given.value("form"));
  const double share = parse_number(given, "fail_below", 0, 0, 10);
  compare::DifferenceOptions options;
  options.confidence = parse_number(given, "confidence", options.confidence, 0.5, 1);
  options.quantile = parse_number(given, "quantile", options.quantile, 0, 1);
  options.run_noise = parse_number(given, "run_noise", options.run_noise, 0, 1);
  // Long records take most of the time to read.
  auto second =
      std::async(std::launch::async, [&] { return compare::read_compared(given.positional[1]); });
  const compare::ComparedRecord a = compare::read_compared(given.positional[0]);
  const compare::ComparedRecord b = second.get();
  require_alike(a, b, given, err);
  print_notices(err, a.notices);
  print_notices(err, b.notices);
  const compare::Difference difference = compare::compare(a.side, b.side, options);
  out << write({a, b, difference});
  const bool seen = difference.verdict != compare::Verdict::kNoDifference;
  if (!seen || difference.speed_ratio() >= share) return static_cast<int>(ExitCode::kOk);
  err << fmt::format("convoy: {:.3f} of the first's speed is below --fail_below={}\n",
                     difference.speed_ratio(), given.value("fail_below"));
  return static_cast<int>(ExitCode::kThreshold);
}

}  // namespace convoy::cli
