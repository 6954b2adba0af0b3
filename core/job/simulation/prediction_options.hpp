#pragma once

#include "core/graph/arena.hpp"
#include "core/job/hardware/simulated_hardware.hpp"
#include "core/job/setup.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy::job {

// Whether records are to have the timeline of a step.
bool wants_timeline(const JobOptions& options);
// What a run with these options computes in.
simulate::Arithmetic arithmetic(const Setup& setup, const SimulatedHardware& hardware);

// How a run with these options is predicted on this hardware, with `batch` images per device.
simulate::PredictorOptions prediction_options(const Setup& setup, const SimulatedHardware& hardware,
                                              std::uint32_t batch);

// The model's variables in that arena, cut into buckets of about that size, or into the buckets of
// the imitated software.
ArenaMap simulated_map(const Setup& setup, const SimulatedHardware& hardware, const Arena& arena,
                       std::uint64_t bucket_elements);

// Where the user knows the rate of one device (--images_per_sec), scales the predictor's layers so
// that this strategy's step on one has it. Error where the strategy does not plan for one device.
void fit_to_given_rate(const Setup& setup, const SimulatedHardware& hardware,
                       StrategyPlugin& strategy, std::uint64_t bucket_elements,
                       simulate::Predictor& predictor);

}  // namespace convoy::job
