#pragma once

#include <cstdint>

#include "core/cli/run_setup.hpp"
#include "core/cli/run_sizes.hpp"
#include "core/data/data_options.hpp"
#include "core/runtime/session.hpp"
#include "core/train/learning_rate.hpp"

namespace convoy {

// What a command line means for the parts of a training run on so many devices.
SessionOptions session_options(const RunSetup& setup, const RunSizes& sizes, std::uint32_t devices);
DataOptions data_options(const RunSetup& setup, const RunSizes& sizes, std::uint32_t devices);
// `examples` make an epoch.
LearningRateSchedule learning_rate_schedule(const RunSetup& setup, const RunSizes& sizes,
                                            std::uint32_t devices, std::int64_t examples);

}  // namespace convoy
