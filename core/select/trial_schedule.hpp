#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convoy {

// At most so many steps of a training serve to compare candidates.
constexpr std::int64_t kMostTrialSteps = 40;

// How many of so many candidates so many steps can compare: two turns of each. 0 when not even two.
std::size_t most_tried(std::size_t candidates, std::int64_t steps);

// Who runs next when candidates are compared by running them in turns, and when it is decided:
// A B C A B C ..., a few steps each. The first step of every turn does not count, nor does the
// second of the very first one, and medians are compared. After every round candidates that are
// clearly slower than the best drop out, which leaves the more steps to the others. Candidates are
// numbered in the order in which they were expected to be fast. Pure bookkeeping: steps are run by
// whoever asks.
class TrialSchedule {
 public:
  // At least two candidates, and most_tried() of them.
  TrialSchedule(std::size_t candidates, std::int64_t most_steps);

  // Nobody has a turn any more: the winner is known.
  bool over() const { return over_; }
  // Whose turn it is.
  std::size_t current() const { return order_.at(turn_); }
  // The number of steps that this turn has, those that do not count included.
  std::int64_t turn_steps() const;
  // One of them took so many seconds. The last one ends the turn.
  void add(double seconds);
  // Ends the turn at once: the candidate cannot run here.
  void drop_current();

  // The smallest median; of candidates that differ by less than kTie the one expected to be fast.
  std::size_t winner() const;
  // Of the steps that count; 0 without any.
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
  std::vector<std::size_t> order_;            // of those who still take part
  std::size_t turn_ = 0;                      // in order_
  std::size_t rounds_ = 0;                    // that have ended
  std::int64_t steps_ = 0;
  std::int64_t begun_ = 0;  // steps before this turn
  bool over_ = false;
};

}  // namespace convoy
