#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convoy::select {

// The most steps of a training that serve to compare candidates.
constexpr std::int64_t kMostTrialSteps = 40;

// The number of candidates that these steps can compare, with two turns of each; 0 if less than
// two.
std::size_t most_tried(std::size_t candidates, std::int64_t steps);

// Which candidate runs next when candidates run in turns, and when the best is known:
// A B C A B C ..., a few steps each. The first step of every turn does not count, nor does the
// second of the very first one, and medians are compared. After every round candidates that are
// clearly slower than the best drop out, which leaves the more steps to the others. Candidates are
// numbered in the order in which they were expected to be fast. Pure bookkeeping: the caller runs
// the steps.
class TrialSchedule {
 public:
  // At least two candidates, and most_tried() of them.
  TrialSchedule(std::size_t candidates, std::int64_t most_steps);

  // Whether all turns are over: the winner is known.
  bool over() const { return over_; }
  // The candidate whose turn it is.
  std::size_t current() const { return order_.at(turn_); }
  // The number of steps of this turn, including those that do not count.
  std::int64_t turn_steps() const;
  // Takes the seconds of one of them. The last one ends the turn.
  void add(double seconds);
  // Ends the turn at once: the candidate cannot run here.
  void drop_current();

  // The smallest median; of candidates that differ by less than kTie the one expected to be fast.
  std::size_t winner() const;
  // The median of the steps that count; 0 without any.
  double median(std::size_t candidate) const;
  std::size_t counted(std::size_t candidate) const { return seconds_.at(candidate).size(); }
  std::int64_t steps() const { return steps_; }  // that were run, all together

  static constexpr double kTie = 0.005;            // relative
  static constexpr std::int64_t kMostCounted = 3;  // steps per turn

 private:
  void end_turn();
  void end_round();
  bool clearly_slower(std::size_t candidate, std::size_t than) const;

  std::int64_t most_steps_;
  std::int64_t counted_per_turn_;
  std::vector<std::vector<double>> seconds_;  // per candidate: of steps that count
  std::vector<std::size_t> order_;            // of the candidates that still take part
  std::size_t turn_ = 0;                      // in order_
  std::size_t rounds_ = 0;                    // that have ended
  std::int64_t steps_ = 0;
  std::int64_t begun_ = 0;  // steps before this turn
  bool over_ = false;
};

}  // namespace convoy::select
