#pragma once

#include <cstdint>
#include <optional>

namespace convoy::train {

// Timed steps when neither a number of steps nor of epochs is given.
constexpr std::int64_t kDefaultTimedSteps = 100;
// Warm-up steps when none are given. They are real training steps, only untimed.
constexpr std::int64_t kDefaultWarmupSteps = 10;

// Steps to time: num_batches, else num_epochs rounded up to whole steps of global_batch examples,
// else the default. Error(kUsage) when both are given or the result is not positive.
std::int64_t timed_steps(std::optional<std::int64_t> num_batches, std::optional<double> num_epochs,
                         std::int64_t global_batch, std::int64_t examples_per_epoch);

// Steps of this batch until `num_epochs` passes are done. Earlier runs have taken `samples_taken`
// samples of them, with batches of any size. 0 when there is nothing left.
std::int64_t steps_left_of_epochs(double num_epochs, std::int64_t global_batch,
                                  std::int64_t examples_per_epoch, std::int64_t samples_taken);

}  // namespace convoy::train
