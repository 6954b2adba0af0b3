#pragma once

#include <cstdint>

namespace convoy {

// The bytes that a run uses in one place, by purpose.
struct MemoryUse {
  std::uint64_t parameters = 0;  // of replicas and masters
  std::uint64_t gradients = 0;
  std::uint64_t optimizer_state = 0;
  std::uint64_t plan_buffers = 0;  // scratch and persistent buffers, staging included
  std::uint64_t statistics = 0;    // of batch norm
  // Bytes of compiled layers; 0 if the device does not report them.
  std::uint64_t activations = 0;  // activations and their gradients: the most that live at one time
  std::uint64_t scratch = 0;      // scratch memory of single layers

  std::uint64_t total() const {
    return parameters + gradients + optimizer_state + plan_buffers + statistics + activations +
           scratch;
  }
};

}  // namespace convoy
