#pragma once

#include <optional>
#include <string>
#include <vector>

namespace convoy::compare {

// One side of a comparison: runs of the same thing.
struct Side {
  std::string name;
  // Per run: for each step its seconds divided by the images computed in them. No run is empty.
  std::vector<std::vector<double>> runs;
  // When each run began, in seconds since a time that is the same for both sides; none: not known.
  std::vector<std::optional<double>> began;
  // Per run that took turns: how many of its steps were done at the end of each turn.
  std::vector<std::vector<std::size_t>> turns = {};
  // The median of the steps of a run stands for the whole run, and no other quantile does.
  bool median_is_total = false;
};

struct DifferenceOptions {
  // Of 100 comparisons of equal programs, 4 see a difference by chance: with 5, every second
  // hundred would have more than 5.
  double confidence = 0.96;
  // The step of a run that counts: this share of its steps is as fast or faster. Others on a
  // machine only slow steps down, so fast ones repeat better than the median: differences of 70
  // pairs of equal runs of 1 s on a busy machine had a standard deviation of 2.3 %, of medians 3.8
  // %; 1.8 and 1.9 % where both stayed on one processor.
  double quantile = 0.1;
  // What runs of the same thing differ by at least, as a standard deviation relative to their
  // speed, where a side has one run and does not show it.
  double run_noise = 0.01;
};

enum class Verdict { kNoDifference, kFaster, kSlower };

// How the second side's time per image differs from the first's.
struct Difference {
  // Per image, of the step that counts; of several runs the geometric mean, so that the two differ
  // by `change` unless turns are compared.
  double first_seconds = 0;
  double second_seconds = 0;
  double quantile = 0;  // which step that is
  std::size_t first_runs = 0;
  std::size_t second_runs = 0;
  double change = 0;  // of time: -0.03 is 3 % less
  double low = 0;     // the interval that holds the true change with that confidence
  double high = 0;
  double confidence = 0;
  Verdict verdict = Verdict::kNoDifference;
  std::string method;  // in words

  // The second side's speed as a share of the first's.
  double speed_ratio() const { return 1 / (1 + change); }
};

// Compares two sides by the logarithms of their steps that count (DifferenceOptions::quantile). If
// the median of one side is its total, the medians count, whatever the options say. The interval is
// - if the runs of both sides alternated or took turns: the t interval of the pairs' mean
//   difference, which a drift of the machine does not change. If the records have the turns, the
//   difference of a pair is difference_by_turns();
// - else with several runs on both sides: Welch's t interval of the difference of the means over
//   runs, because runs are independent and steps are not;
// - with a single run on a side: by bootstrap of blocks of its steps, widened by the noise between
//   runs, which a side of several runs shows. Error kUsage for fewer than kFewestResampled steps.
Difference compare(const Side& first, const Side& second, const DifferenceOptions& options = {});

// What the step that counts is called: "median", "10 % quantile".
std::string quantile_name(double quantile);

// "faster by 3.1 % +- 0.8 %", "no difference seen: time +0.2 % +- 0.9 %". An interval that goes
// much farther up than down has both its ends: "no difference seen: time +3.0 %, from -60.0 to
// +165.2 %".
std::string verdict_text(const Difference& difference);

// Where no difference is seen, how large one would have to be, and what shows smaller ones; else
// empty.
std::string resolution_text(const Difference& difference);

}  // namespace convoy::compare
