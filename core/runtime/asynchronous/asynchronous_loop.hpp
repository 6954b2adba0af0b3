#pragma once

#include "core/runtime/training_loop.hpp"

namespace convoy::runtime {

// run_training() of an asynchronous session: runs every strand that has operations on this host,
// each at its own speed.
TrainingSummary run_asynchronous_training(Session& session, data::BatchSource& source,
                                          const train::LearningRateSchedule& schedule,
                                          const TrainingLoopOptions& options,
                                          const TrainingEvents& events);

}  // namespace convoy::runtime
