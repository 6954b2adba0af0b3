#pragma once

#include <convoy/abi.h>

#include <convoy/job_options.hpp>
#include <cstdint>
#include <string_view>

namespace convoy {

// "sgd", "momentum", "rmsprop" or "adam"; Error(kUsage) for anything else.
convoy_optimizer_kind parse_optimizer_kind(std::string_view name);
std::string_view optimizer_name(convoy_optimizer_kind kind);

// The optimizer in the form that devices receive. Error(kUsage) when a value makes no sense, such
// as a clip that is not positive.
convoy_optimizer make_optimizer(const OptimizerOptions& options, std::uint32_t replicas);

// Numbers of state per parameter: momentum {a}, rmsprop {r, u}, adam {s, r}, in the letters of
// convoy_optimizer's formulas and in this order.
std::uint32_t state_slots(convoy_optimizer_kind kind);

// What a slot holds before the first step. RMSProp's mean square starts at 1, all others at 0.
double state_initial(convoy_optimizer_kind kind, std::uint32_t slot);

// What a slot is called in checkpoints: "momentum", "mean_square" ...
std::string_view state_name(convoy_optimizer_kind kind, std::uint32_t slot);

}  // namespace convoy
