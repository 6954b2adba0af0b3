#pragma once

#include <cstdint>
#include <string>

#include "core/data/pipeline/data_options.hpp"
#include "core/job/setup.hpp"
#include "core/job/sizes.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/training_loop.hpp"
#include "core/train/learning_rate.hpp"

namespace convoy::job {

// What the parts of a run are made with, as the flags say: training's; evaluation changes some.
runtime::SessionOptions session_options(const Setup& setup, const Sizes& sizes,
                                        std::uint32_t devices);
data::DataOptions data_options(const Setup& setup, const Sizes& sizes, std::uint32_t devices);
// first_step: how many were trained before this run.
runtime::TrainingLoopOptions training_loop_options(const Setup& setup, const Sizes& sizes,
                                                   std::int64_t first_step);
// What to tell the user when the threads that prepare real images have no cores of their own; empty
// when they have.
std::string shared_cores_notice(const Setup& setup, std::uint32_t devices);
// examples make an epoch.
train::LearningRateSchedule schedule(const Setup& setup, const Sizes& sizes, std::uint32_t devices,
                                     std::int64_t examples);

// To tell where divergence is tolerated: from which step on, numbered like TrainingStep.
std::string divergence_text(std::int64_t step, std::int64_t warmup_steps);

}  // namespace convoy::job
