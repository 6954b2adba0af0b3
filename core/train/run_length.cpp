#include "core/train/run_length.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace convoy::train {

std::int64_t timed_steps(std::optional<std::int64_t> num_batches, std::optional<double> num_epochs,
                         std::int64_t global_batch, std::int64_t examples_per_epoch) {
  CONVOY_CHECK_LT(0, global_batch);
  if (num_batches && num_epochs) {
    fail(ExitCode::kUsage, "--num_batches={} and --num_epochs={}: give one of them, not both",
         *num_batches, *num_epochs);
  }
  std::int64_t steps = num_batches.value_or(kDefaultTimedSteps);
  if (num_epochs) steps = steps_left_of_epochs(*num_epochs, global_batch, examples_per_epoch, 0);
  if (steps < 1 && num_epochs)
    fail(ExitCode::kUsage,
         "there is no step to run: {:g} epochs of {} examples are not one example; ask for more",
         *num_epochs, examples_per_epoch);
  if (steps < 1) fail(ExitCode::kUsage, "there is no step to run: --num_batches must be above 0");
  return steps;
}

std::int64_t steps_left_of_epochs(double num_epochs, std::int64_t global_batch,
                                  std::int64_t examples_per_epoch, std::int64_t samples_taken) {
  const auto all = static_cast<std::int64_t>(num_epochs * static_cast<double>(examples_per_epoch));
  return (std::max<std::int64_t>(0, all - samples_taken) + global_batch - 1) / global_batch;
}

}  // namespace convoy::train
