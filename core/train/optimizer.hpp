#pragma once

#include <convoy/abi.h>

#include <array>
#include <convoy/job_options.hpp>
#include <cstdint>
#include <string_view>
#include <utility>

namespace convoy::train {

// The names on command lines and in records.
inline constexpr std::array<std::pair<convoy_optimizer_kind, std::string_view>, 4> kOptimizers = {{
    {CONVOY_OPTIMIZER_SGD, "sgd"},
    {CONVOY_OPTIMIZER_MOMENTUM, "momentum"},
    {CONVOY_OPTIMIZER_RMSPROP, "rmsprop"},
    {CONVOY_OPTIMIZER_ADAM, "adam"},
}};
// Error(kUsage) for a kind that is none of these.
std::string_view optimizer_name(convoy_optimizer_kind kind);

// The optimizer in the form that devices receive. Error(kUsage) when a value makes no sense, such
// as a clip that is not positive.
convoy_optimizer make_optimizer(const OptimizerOptions& options, std::uint32_t replicas);

// Numbers of state per parameter: momentum {a}, rmsprop {r, u}, adam {s, r}, in the letters of
// convoy_optimizer's formulas and in this order.
std::uint32_t state_slots(convoy_optimizer_kind kind);

// Returns a slot's initial value. RMSProp's mean square starts at 1, all others at 0.
double state_initial(convoy_optimizer_kind kind, std::uint32_t slot);

// Returns a slot's name in checkpoints: "momentum", "mean_square" ...
std::string_view state_name(convoy_optimizer_kind kind, std::uint32_t slot);

}  // namespace convoy::train
