#pragma once

#include <cstdint>

#include "core/job/setup.hpp"
#include "core/job/simulated_hardware.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy::job {

// Where the user knows the rate of one device (--images_per_sec), scales the predictor's layers so
// that this strategy's step on one has it. Error where the strategy does not plan for one device.
void fit_to_given_rate(const Setup& setup, const SimulatedHardware& hardware,
                       StrategyPlugin& strategy, std::uint64_t bucket_elements,
                       simulate::Predictor& predictor);

}  // namespace convoy::job
