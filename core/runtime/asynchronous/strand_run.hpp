#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/data/pipeline/batch_source.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/step_totals.hpp"

namespace convoy::runtime {

// A step of a strand between its submission and its completion.
struct StrandStep {
  std::int64_t number = 0;  // 0-based, warm-up included
  std::int64_t images = 0;
  double learning_rate = 0;
  double input_asked = 0;  // when its images were asked for
  double input_ready = 0;  // when its images had arrived
  double begin = 0;        // when the previous step was through
  double end = 0;
  StepTotals totals;  // totals of this host's replicas
};

// This host's part of one strand's steps. If the strand's worker is on this host, the replicas here
// take batches. If it is on another host, only the strand's updates and their reads run here.
class StrandRun {
 public:
  // All arguments must outlive it. `first_step` is the step number of the input.
  StrandRun(Session& session, Executor& executor, data::BatchSource& source,
            std::int64_t first_step);

  std::uint32_t number() const { return executor_.strand(); }
  Executor& executor() { return executor_; }
  bool has_replicas() const { return !replicas_.empty(); }
  const std::vector<std::uint32_t>& replicas() const { return replicas_; }
  std::int64_t submitted() const { return submitted_; }
  std::int64_t finished() const { return finished_; }
  // How many steps may be open.
  std::int64_t depth() const { return executor_.steps_in_flight(); }
  // Allows this many steps, counted from the beginning, and no more until the next call.
  void go_to(std::int64_t steps) { limit_ = steps; }
  bool is_there() const { return finished_ == limit_; }
  // The next step's time counts from `now`.
  void restart_clock(double now) { last_end_ = now; }

  bool may_submit() const { return submitted_ < limit_ && submitted_ - finished_ < depth(); }
  // Whether the images of the next step have arrived, so that submit() does not wait for them. The
  // first call marks the time at which they were asked for.
  bool input_is_ready();
  void submit(double learning_rate);
  bool has_open() const { return finished_ < submitted_; }
  // Waits for the oldest open step, if it is not finished. Error as Executor::finish_step().
  StrandStep finish();

 private:
  Session& session_;
  Executor& executor_;
  data::BatchSource& source_;
  std::int64_t first_step_;
  std::vector<std::uint32_t> replicas_;  // the strand's replicas on this host
  StepInput input_;                      // its memory serves every step
  std::deque<StrandStep> open_;          // the oldest first
  std::int64_t submitted_ = 0;
  std::int64_t finished_ = 0;
  std::int64_t limit_ = 0;
  double last_end_ = 0;
  std::optional<double> input_asked_;  // for the next step
};

}  // namespace convoy::runtime
