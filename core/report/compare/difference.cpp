#include "core/report/compare/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/numbers/statistics.hpp"
#include "core/base/text/counted.hpp"
#include "core/report/compare/block_bootstrap.hpp"
#include "core/report/compare/turns.hpp"

namespace convoy::compare {
namespace {

std::vector<double> log_quantiles(const Side& side, double fraction) {
  std::vector<double> logs;
  for (const std::vector<double>& run : side.runs)
    logs.push_back(std::log(quantile(run, fraction)));
  return logs;
}

// Returns the squared standard error of the mean.
double squared_error(const std::vector<double>& values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const auto count = static_cast<double>(values.size());
  return squares / (count - 1) / count;
}

// Returns half the width of the interval of the logarithm.
double welch_half_width(const std::vector<double>& first, const std::vector<double>& second,
                        double confidence) {
  const double a = squared_error(first);
  const double b = squared_error(second);
  if (a + b == 0) return 0;
  const double freedom = (a + b) * (a + b) /
                         (a * a / static_cast<double>(first.size() - 1) +
                          b * b / static_cast<double>(second.size() - 1));
  const boost::math::students_t distribution(freedom);
  return boost::math::quantile(distribution, (1 + confidence) / 2) * std::sqrt(a + b);
}

// The numbers of two runs, one of each side, that were neighbours in time.
using Pair = std::array<std::size_t, 2>;

// Returns pairs if the runs took turns; otherwise nothing. They took turns if their start times are
// known and different, and each two in that order have one run of each side.
std::vector<Pair> pairs_of(const Side& first, const Side& second) {
  const std::size_t count = first.runs.size();
  if (count != second.runs.size() || count != first.began.size() || count != second.began.size())
    return {};
  struct Beginning {
    double time;
    std::size_t side;
    std::size_t run;
  };
  std::vector<Beginning> order;
  for (std::size_t i = 0; i < count; ++i) {
    if (!first.began[i] || !second.began[i]) return {};
    order.insert(order.end(), {{*first.began[i], 0, i}, {*second.began[i], 1, i}});
  }
  std::ranges::stable_sort(order, {}, &Beginning::time);
  std::vector<Pair> pairs(count);
  for (std::size_t i = 0; i < order.size(); i += 2) {
    if (order[i].side == order[i + 1].side || order[i].time == order[i + 1].time) return {};
    for (const Beginning& it : {order[i], order[i + 1]}) pairs[i / 2][it.side] = it.run;
  }
  return pairs;
}

double t_half_width(const std::vector<double>& values, double confidence) {
  const boost::math::students_t distribution(static_cast<double>(values.size() - 1));
  return boost::math::quantile(distribution, (1 + confidence) / 2) *
         std::sqrt(squared_error(values));
}

// Returns the squared deviation of a side's mean: from its runs if there are several, else from the
// run's steps. `noise` is the squared deviation of runs of the same thing.
double squared_deviation(const Side& side, double noise, const DifferenceOptions& options) {
  if (side.runs.size() > 1)
    return std::max(squared_error(log_quantiles(side, options.quantile)),
                    noise / static_cast<double>(side.runs.size()));
  const std::size_t steps = side.runs.front().size();
  if (steps < kFewestResampled)
    fail(ExitCode::kUsage,
         "{}: a single run of {} does not show how much steps differ; time at least {} "
         "(--num_batches), or repeat the run (--repeat=5)",
         side.name, counted(steps, "timed step"), kFewestResampled);
  const double within = log_quantile_deviation(side.runs.front(), options.quantile);
  return within * within + noise;
}

double bootstrap_half_width(const Side& first, const Side& second,
                            const DifferenceOptions& options) {
  const double upper = (1 + options.confidence) / 2;
  // The variation between runs: that of a side with several runs, but at least the assumed one.
  double noise = options.run_noise * options.run_noise;
  double factor = boost::math::quantile(boost::math::normal(), upper);
  for (const Side* side : {&first, &second}) {
    if (side->runs.size() < 2) continue;
    const auto runs = static_cast<double>(side->runs.size());
    const double shown = runs * squared_error(log_quantiles(*side, options.quantile));
    if (shown <= noise) continue;
    noise = shown;
    factor = boost::math::quantile(boost::math::students_t(runs - 1), upper);
  }
  return factor * std::sqrt(squared_deviation(first, noise, options) +
                            squared_deviation(second, noise, options));
}

double percent_half_width(const Difference& difference) {
  return 100 * (difference.high - difference.low) / 2;
}

// Returns whether one half width describes the interval. Intervals are symmetric for logarithms, so
// a wide one is not symmetric in percent.
bool is_even(const Difference& it) {
  constexpr double kMostUneven = 1.25;
  return it.high - it.change <= kMostUneven * (it.change - it.low);
}

std::string ends_text(double low, double high) {
  return fmt::format("from {:+.1f} to {:+.1f} %", 100 * low, 100 * high);
}

// An interval of a difference of logarithms, and the method.
struct Interval {
  double centre = 0;
  double half_width = 0;
  std::string method;
};

// Returns the difference if both runs of the pair have enough turns.
std::optional<double> difference_by_turns(const Side& first, const Side& second, const Pair& pair,
                                          double fraction) {
  const auto [one, other] = pair;
  if (one >= first.turns.size() || other >= second.turns.size()) return std::nullopt;
  const TurnsOfRun a{first.runs[one], first.turns[one]};
  const TurnsOfRun b{second.runs[other], second.turns[other]};
  if (*first.began[one] < *second.began[other]) return difference_by_turns(a, b, fraction);
  const std::optional<double> found = difference_by_turns(b, a, fraction);
  return found ? std::optional(-*found) : std::nullopt;
}

// `a` and `b` are the logarithms of the sides' quantiles, one for each run. They are used if the
// turns of a pair are unknown.
Interval interval_of_pairs(const Side& first, const Side& second, const std::vector<Pair>& pairs,
                           const std::vector<double>& a, const std::vector<double>& b,
                           const DifferenceOptions& options) {
  std::vector<double> differences;
  std::size_t by_turns = 0;
  for (const Pair& pair : pairs) {
    const auto found = difference_by_turns(first, second, pair, options.quantile);
    by_turns += found ? 1 : 0;
    differences.push_back(found.value_or(b[pair[1]] - a[pair[0]]));
  }
  const std::string name = quantile_name(options.quantile);
  return {mean(differences), t_half_width(differences, options.confidence),
          by_turns == pairs.size()
              ? fmt::format("t interval over {} pairs of runs that took turns; what is compared is "
                            "the {} of each turn with its neighbours'",
                            pairs.size(), name)
              : fmt::format("t interval over the {}s of {} pairs of runs that took turns", name,
                            pairs.size())};
}

// `a` and `b` are the logarithms of the sides' quantiles, one for each run.
Interval interval(const Side& first, const Side& second, const std::vector<double>& a,
                  const std::vector<double>& b, const DifferenceOptions& options) {
  const std::vector<Pair> pairs = pairs_of(first, second);
  if (pairs.size() > 1) return interval_of_pairs(first, second, pairs, a, b, options);
  const double centre = mean(b) - mean(a);
  if (a.size() > 1 && b.size() > 1)
    return {
        centre, welch_half_width(a, b, options.confidence),
        fmt::format("Welch's t interval over the {}s of runs", quantile_name(options.quantile))};
  return {centre, bootstrap_half_width(first, second, options),
          fmt::format("bootstrap of blocks of steps; runs are taken to differ by {:.1f} % "
                      "at least (--repeat=5 measures that)",
                      100 * options.run_noise)};
}

}  // namespace

Difference compare(const Side& first, const Side& second, const DifferenceOptions& asked) {
  CONVOY_CHECK(!first.runs.empty() && !second.runs.empty());
  CONVOY_CHECK(asked.confidence > 0 && asked.confidence < 1);
  CONVOY_CHECK(asked.quantile >= 0 && asked.quantile <= 1);
  DifferenceOptions options = asked;
  if (first.median_is_total || second.median_is_total) options.quantile = 0.5;
  const std::vector<double> a = log_quantiles(first, options.quantile);
  const std::vector<double> b = log_quantiles(second, options.quantile);
  Difference result;
  result.first_seconds = std::exp(mean(a));
  result.second_seconds = std::exp(mean(b));
  result.quantile = options.quantile;
  result.first_runs = a.size();
  result.second_runs = b.size();
  result.confidence = options.confidence;
  const Interval found = interval(first, second, a, b, options);
  result.method = found.method;
  result.change = std::expm1(found.centre);
  result.low = std::expm1(found.centre - found.half_width);
  result.high = std::expm1(found.centre + found.half_width);
  if (result.high < 0) result.verdict = Verdict::kFaster;
  if (result.low > 0) result.verdict = Verdict::kSlower;
  return result;
}

std::string quantile_name(double quantile) {
  return quantile == 0.5 ? "median" : fmt::format("{:g} % quantile", 100 * quantile);
}

std::string verdict_text(const Difference& difference) {
  const bool even = is_even(difference);
  const std::string half = fmt::format(" +- {:.1f} %", percent_half_width(difference));
  const std::string ends = ends_text(difference.low, difference.high);
  if (difference.verdict == Verdict::kNoDifference)
    return fmt::format("no difference seen: time {:+.1f} %{}", 100 * difference.change,
                       even ? half : ", " + ends);
  return fmt::format("{} by {:.1f} %{}",
                     difference.verdict == Verdict::kFaster ? "faster" : "slower",
                     100 * std::abs(difference.change), even ? half : ", time " + ends);
}

std::string resolution_text(const Difference& difference) {
  if (difference.verdict != Verdict::kNoDifference) return {};
  const std::size_t fewest = std::min(difference.first_runs, difference.second_runs);
  const char* advice = "";
  if (fewest == 2) advice = "; too few runs to tell: --repeat=5";
  if (fewest > 2) advice = "; more of them, with nothing else running, show smaller ones";
  if (!is_even(difference)) {
    const double half = (std::log1p(difference.high) - std::log1p(difference.low)) / 2;
    return fmt::format("a change {} cannot be seen with these runs{}",
                       ends_text(std::expm1(-half), std::expm1(half)), advice);
  }
  return fmt::format("a change of less than {:.1f} % cannot be seen with these runs{}",
                     percent_half_width(difference), advice);
}

}  // namespace convoy::compare
