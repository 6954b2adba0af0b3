#pragma once

#include <optional>

#include "core/network/messages.hpp"

namespace convoy::network {

// Why two tasks cannot be part of one run, with both sides named:
//   worker 1 (hostB, pid 12) has --batch_size=8, worker 0 (hostA, pid 9) has 16; ...
// Nothing when they agree. Of servers, only what they bring is compared: version, program, sizes.
std::optional<Refusal> disagreement(const Join& newcomer, const Join& other);

}  // namespace convoy::network
