#pragma once

#include <optional>

#include "core/job/training/run_context.hpp"
#include "core/network/messages.hpp"

namespace convoy::job {

// Takes training steps, or with --forward_only their forward passes: alone or as a task of several,
// with the checkpoints, evaluations, trials and traces that the options ask for. The interruption
// that all tasks agreed to stop for, if there was one. Error as each part says.
std::optional<network::Interruption> train(RunContext& run);

}  // namespace convoy::job
