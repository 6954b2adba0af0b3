#pragma once

#include "core/cli/run_setup.hpp"
#include "core/cli/simulated_hardware.hpp"
#include "core/graph/arena.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy {

// How a run with these options is predicted on this hardware, with `batch` images per device.
simulate::PredictorOptions predictor_options(const RunSetup& setup,
                                             const SimulatedHardware& hardware,
                                             std::uint32_t batch);

// The model's variables, stored like that, and buckets as planning sees them: of about that size,
// or what the software that is imitated has.
ArenaMap simulated_map(const RunSetup& setup, const SimulatedHardware& hardware, const Arena& arena,
                       std::uint64_t bucket_elements);

}  // namespace convoy
