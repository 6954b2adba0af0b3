#pragma once

#include "core/graph/arena.hpp"
#include "core/job/hardware/simulated_hardware.hpp"
#include "core/job/setup.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy::job {

// Returns whether the options ask for a record with the timeline of a step.
bool wants_timeline(const JobOptions& options);
// Returns the arithmetic in which a run with these options computes.
simulate::Arithmetic arithmetic(const JobOptions& options, const SimulatedHardware& hardware);

// Returns the options to predict a run on this hardware, with `batch` images per device.
simulate::PredictorOptions prediction_options(const Setup& setup, const SimulatedHardware& hardware,
                                              std::uint32_t batch);

// Returns the model's variables in that arena, in buckets of about `bucket_elements`, or in the
// buckets of the simulated software.
plan::ArenaMap simulated_map(const Setup& setup, const SimulatedHardware& hardware,
                             const graph::Arena& arena, std::uint64_t bucket_elements);

// If the user gives the rate of one device (--images_per_sec), scales the predictor's layers so
// that this strategy's step on one device has this rate. Error if the strategy refuses one device.
void fit_to_given_rate(const Setup& setup, const SimulatedHardware& hardware,
                       plugin::StrategyPlugin& strategy, std::uint64_t bucket_elements,
                       simulate::Predictor& predictor);

}  // namespace convoy::job
