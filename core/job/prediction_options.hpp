#pragma once

#include "core/graph/arena.hpp"
#include "core/job/setup.hpp"
#include "core/job/simulated_hardware.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy::job {

// Whether records are to have the timeline of a step.
bool wants_timeline(const JobOptions& options);
// What a run with these options computes in.
simulate::Arithmetic arithmetic(const Setup& setup, const SimulatedHardware& hardware);

// How a run with these options is predicted on this hardware, with `batch` images per device.
simulate::PredictorOptions prediction_options(const Setup& setup, const SimulatedHardware& hardware,
                                              std::uint32_t batch);

// The model's variables, stored like that, and buckets as planning sees them: of about that size,
// or what the software that is imitated has.
ArenaMap simulated_map(const Setup& setup, const SimulatedHardware& hardware, const Arena& arena,
                       std::uint64_t bucket_elements);

}  // namespace convoy::job
