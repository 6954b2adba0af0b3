#pragma once

#include "core/runtime/training_loop.hpp"

namespace convoy {

// run_training() of an asynchronous session: goes on with every strand that has a part on this
// host, each at its own speed.
TrainingSummary run_asynchronous_training(Session& session, BatchSource& source,
                                          const LearningRateSchedule& schedule,
                                          const TrainingLoopOptions& options,
                                          const TrainingEvents& events);

}  // namespace convoy
