#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convoy::select {

// The most steps of a training that are used to compare candidates.
constexpr std::int64_t kMostTrialSteps = 40;

// Returns the number of candidates that these steps can compare, with two turns each; 0 if it is
// less than two.
std::size_t most_tried(std::size_t candidates, std::int64_t steps);

// Decides which candidate runs next when candidates run in turns, and when the best is known. The
// order is A B C A B C ..., a few steps each. The first step of every turn does not count, nor does
// the second step of the very first turn. Medians are compared. After every round, candidates that
// are clearly slower than the best drop out, which leaves more steps to the others. Candidates are
// numbered in the order of their expected speed, the fastest first. This class is only bookkeeping:
// the caller runs the steps.
class TrialSchedule {
 public:
  // `candidates` must be at least two and at most what most_tried() returns.
  TrialSchedule(std::size_t candidates, std::int64_t most_steps);

  // Returns whether all turns are over, so that the winner is known.
  bool over() const { return over_; }
  // Returns the candidate whose turn it is.
  std::size_t current() const { return order_.at(turn_); }
  // Returns the number of steps of this turn, including those that do not count.
  std::int64_t turn_steps() const;
  // Adds the time of a step of this turn, in seconds. The last step ends the turn.
  void add(double seconds);
  // Ends the turn at once, because the candidate cannot run here.
  void drop_current();

  // Returns the candidate with the smallest median. Of candidates that differ by less than kTie, it
  // is the one that was expected to be fastest.
  std::size_t winner() const;
  // Returns the median of the steps that count; 0 if there are none.
  double median(std::size_t candidate) const;
  std::size_t counted(std::size_t candidate) const { return seconds_.at(candidate).size(); }
  std::int64_t steps() const { return steps_; }  // steps so far, of all candidates together

  static constexpr double kTie = 0.005;            // a relative difference
  static constexpr std::int64_t kMostCounted = 3;  // steps per turn

 private:
  void end_turn();
  void end_round();
  bool clearly_slower(std::size_t candidate, std::size_t than) const;

  std::int64_t most_steps_;
  std::int64_t counted_per_turn_;
  std::vector<std::vector<double>> seconds_;  // for each candidate, the times of steps that count
  std::vector<std::size_t> order_;            // the candidates that still take part
  std::size_t turn_ = 0;                      // index in order_
  std::size_t rounds_ = 0;                    // number of completed rounds
  std::int64_t steps_ = 0;
  std::int64_t begun_ = 0;  // steps before this turn
  bool over_ = false;
};

}  // namespace convoy::select
