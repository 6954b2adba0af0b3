#pragma once

#include <cstdint>

namespace convoy {

// Bytes that a run has in one place, by what they are for.
struct MemoryUse {
  std::uint64_t parameters = 0;  // of replicas and masters
  std::uint64_t gradients = 0;
  std::uint64_t optimizer_state = 0;
  std::uint64_t plan_buffers = 0;  // scratch and persistent ones, staging included
  std::uint64_t statistics = 0;    // of batch norm
  // Bytes of compiled layers; 0 when the device does not say.
  std::uint64_t activations = 0;  // and their gradients, as many as live at one time
  std::uint64_t scratch = 0;      // of single layers

  std::uint64_t total() const {
    return parameters + gradients + optimizer_state + plan_buffers + statistics + activations +
           scratch;
  }
};

}  // namespace convoy
