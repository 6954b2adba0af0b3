#pragma once

#include <optional>
#include <string>
#include <vector>

namespace convoy::compare {

// One side of a comparison: runs of the same thing.
struct Side {
  std::string name;
  // For each run, the seconds of each step divided by the images computed in it. No run is empty.
  std::vector<std::vector<double>> runs;
  // The time at which each run began, in seconds since an origin that is the same for both sides;
  // none: unknown.
  std::vector<std::optional<double>> began;
  // For each run that took turns, the number of its steps that were done at the end of each turn.
  std::vector<std::vector<std::size_t>> turns = {};
  // Only the median of a run's steps represents the whole run, and no other quantile does.
  bool median_is_total = false;
};

struct DifferenceOptions {
  // With 0.96, 4 of 100 comparisons of equal programs see a difference by chance. With 0.95, every
  // second hundred would have more than 5.
  double confidence = 0.96;
  // The quantile of a run's steps that is compared: this share of its steps is as fast or faster.
  // Other programs on a machine only slow steps down, so fast steps repeat better than the median.
  // On a busy machine, differences of 70 pairs of equal runs of 1 s had a standard deviation of 2.3
  // %, and of medians 3.8 %. If both runs stayed on one processor, it was 1.8 and 1.9 %.
  double quantile = 0.1;
  // The least variation that is assumed between runs of the same thing, as a standard deviation
  // relative to their speed. It serves if a side has only one run, which does not show its
  // variation.
  double run_noise = 0.01;
};

enum class Verdict { kNoDifference, kFaster, kSlower };

// The difference of the second side's time per image from the first side's.
struct Difference {
  // Seconds per image in the compared step. With several runs, this is the geometric mean, so that
  // the two differ by `change` unless turns are compared.
  double first_seconds = 0;
  double second_seconds = 0;
  double quantile = 0;  // the quantile that was compared
  std::size_t first_runs = 0;
  std::size_t second_runs = 0;
  double change = 0;  // relative change of the time: -0.03 is 3 % less
  double low = 0;     // the interval that holds the true change with this confidence
  double high = 0;
  double confidence = 0;
  Verdict verdict = Verdict::kNoDifference;
  std::string method;  // describes the method in words

  // Returns the second side's speed divided by the first's.
  double speed_ratio() const { return 1 / (1 + change); }
};

// Compares two sides by the logarithms of the compared quantiles of their steps
// (DifferenceOptions::quantile). If the median of one side is its total, medians are compared,
// whatever the options say. The interval is
// - if the runs of both sides alternated or took turns: the t interval of the pairs' mean
// difference, which a drift of the machine does not change. If the records have the turns, the
// difference of a pair is difference_by_turns();
// - else with several runs on both sides: Welch's t interval of the difference of the means over
// runs, because runs are independent and steps are not;
// - with a single run on a side: by bootstrap of blocks of its steps, widened by the noise between
// runs, which a side of several runs shows. Error kUsage for fewer than kFewestResampled steps.
Difference compare(const Side& first, const Side& second, const DifferenceOptions& options = {});

// Returns the name of a quantile: "median", "10 % quantile".
std::string quantile_name(double quantile);

// Returns "faster by 3.1 % +- 0.8 %" or "no difference seen: time +0.2 % +- 0.9 %". An interval
// that reaches much farther up than down is given by both its ends: "no difference seen: time +3.0
// %, from -60.0 to +165.2 %".
std::string verdict_text(const Difference& difference);

// If no difference is seen, returns how large one would have to be and how to see smaller ones;
// otherwise returns an empty text.
std::string resolution_text(const Difference& difference);

}  // namespace convoy::compare
