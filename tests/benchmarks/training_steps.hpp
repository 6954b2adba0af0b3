#pragma once

#include <cstdint>
#include <memory>

#include "core/data/pipeline/batch_source.hpp"
#include "core/runtime/session.hpp"

namespace convoy::benchmarks {

inline constexpr std::uint32_t kClasses = 1001;  // of imagenet

// Steps of a session on synthetic images, some whenever they are asked for. The session stays where
// it is.
class TrainingSteps {
 public:
  explicit TrainingSteps(runtime::Session& session);

  // Seconds per step, over so many steps in the middle of a run: one more is taken before them and
  // not counted, and the queues are filled as in training.
  double run(int steps);
  std::int64_t submitted() const { return submitted_; }  // so far

 private:
  void submit();

  runtime::Session& session_;
  std::unique_ptr<data::BatchSource> source_;
  std::int64_t submitted_ = 0;
};

}  // namespace convoy::benchmarks
