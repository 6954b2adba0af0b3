#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/memory_limit.hpp"
#include "core/job/setup.hpp"

namespace convoy::job {

// The memory of the host that a run takes at least, in bytes.
struct HostMemoryNeed {
  double per_image = 0;   // and device: what layers keep, its gradients, the input
  double per_device = 0;  // variables and gradients
  double once = 0;        // optimizer state, the program itself
  double of(double devices, double batch) const {
    return once + devices * (per_device + batch * per_image);
  }
};

// What a run of these options needs; devices that are no host processors hold their part
// themselves.
HostMemoryNeed host_memory_need(const Setup& setup);

// Why so many devices with so many images each do not fit, and the largest batch that does; empty
// when they fit.
std::string memory_refusal(const HostMemoryNeed& need, std::uint32_t devices, std::uint32_t batch,
                           const MemoryLimit& limit);

// Before anything large is allocated. Error kUnavailable as memory_refusal() says.
void check_host_memory(const Setup& setup);

}  // namespace convoy::job
