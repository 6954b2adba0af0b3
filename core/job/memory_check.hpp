#pragma once

#include <cstdint>
#include <string>

#include "core/base/system/memory_limit.hpp"
#include "core/job/setup.hpp"

namespace convoy::job {

// The least memory of the host that a run needs, in bytes.
struct HostMemoryNeed {
  // Memory per image of a device: what layers keep, its gradients and the input.
  double per_image = 0;
  double per_device = 0;  // variables and gradients
  double once = 0;        // optimizer state and the program itself
  double of(double devices, double batch) const {
    return once + devices * (per_device + batch * per_image);
  }
};

// Returns the need of a run with these options. Devices with memory of their own hold their part
// themselves.
HostMemoryNeed host_memory_need(const Setup& setup);

// Returns why this number of devices with this batch does not fit, and the largest batch that does;
// empty if it fits.
std::string memory_refusal(const HostMemoryNeed& need, std::uint32_t devices, std::uint32_t batch,
                           const MemoryLimit& limit);

// Throws Error kUnavailable with the text of memory_refusal(). Called before anything large is
// allocated.
void check_host_memory(const Setup& setup);

}  // namespace convoy::job
