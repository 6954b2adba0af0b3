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

// Returns the options of the session, from those of the job. Evaluation changes some of them.
runtime::SessionOptions session_options(const Setup& setup, const Sizes& sizes,
                                        std::uint32_t devices);
data::DataOptions data_options(const Setup& setup, const Sizes& sizes, std::uint32_t devices);
// first_step: the number of steps trained before this run.
runtime::TrainingLoopOptions training_loop_options(const JobOptions& options, const Sizes& sizes,
                                                   std::int64_t first_step);
// Returns a notice if the threads that prepare real images have no cores of their own, else an
// empty text.
std::string shared_cores_notice(const Setup& setup, std::uint32_t devices);
// examples: images per epoch. sample_offset: as in DataOptions.
train::LearningRateSchedule schedule(const Setup& setup, const Sizes& sizes, std::uint32_t devices,
                                     std::int64_t examples, std::int64_t sample_offset);

// Returns the notice that training diverged at this step (numbered as in TrainingStep), if that is
// tolerated.
std::string divergence_text(std::int64_t step, std::int64_t warmup_steps);

}  // namespace convoy::job
