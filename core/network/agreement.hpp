#pragma once

#include <optional>

#include "core/network/messages.hpp"

namespace convoy::network {

// Says why two tasks cannot be part of one run, and names both:
//   worker 1 (hostB, pid 12) has --batch_size=8, worker 0 (hostA, pid 9) has 16; ...
// Nothing if they agree. For servers, only the version, the program and the sizes are compared.
std::optional<Refusal> disagreement(const Join& newcomer, const Join& other);

}  // namespace convoy::network
