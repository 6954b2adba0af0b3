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

// The options of the parts of a training, from those of the job. Evaluation changes some of them.
runtime::SessionOptions session_options(const Setup& setup, const Sizes& sizes,
                                        std::uint32_t devices);
data::DataOptions data_options(const Setup& setup, const Sizes& sizes, std::uint32_t devices);
// first_step: number of steps trained before this run.
runtime::TrainingLoopOptions training_loop_options(const JobOptions& options, const Sizes& sizes,
                                                   std::int64_t first_step);
// A notice if the threads that prepare real images have no cores of their own, else empty.
std::string shared_cores_notice(const Setup& setup, std::uint32_t devices);
// examples: images of an epoch. sample_offset: as in DataOptions.
train::LearningRateSchedule schedule(const Setup& setup, const Sizes& sizes, std::uint32_t devices,
                                     std::int64_t examples, std::int64_t sample_offset);

// The notice that training diverged at this step (numbered like TrainingStep), where that is
// tolerated.
std::string divergence_text(std::int64_t step, std::int64_t warmup_steps);

}  // namespace convoy::job
