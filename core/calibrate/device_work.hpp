#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/plugin/device_plugin.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::calibrate {

// A vector of f32 in the memory of a device, all zeros.
class DeviceVector {
 public:
  DeviceVector(OpenDevice& device, std::uint64_t bytes);

  convoy_region region() const;
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Release {
    OpenDevice* device;
    void operator()(void* memory) const { device->deallocate(memory); }
  };
  std::uint64_t bytes_;
  std::unique_ptr<void, Release> memory_;
};

// Submits operations to one device outside any plan and takes their times. One thread at a time.
class DeviceWork {
 public:
  explicit DeviceWork(OpenDevice& device) : device_(device) {}

  // Seconds that the device took, by its own clock.
  double copy(const convoy_region& from, const convoy_region& to);
  // result = a + b.
  double sum(const convoy_region& a, const convoy_region& b, const convoy_region& result);
  // Sum of the gradients and the update of the parameters with momentum.
  double update(const std::vector<convoy_region>& gradients, const convoy_region& parameters,
                const convoy_region& state);
  // Seconds per operation of so many fills of one element, one behind the other in one queue.
  double chain(const convoy_region& to, int operations);

 private:
  double run(convoy_submission submission);

  OpenDevice& device_;
  std::uint64_t timeline_ = 0;
  std::uint64_t value_ = 0;
};

}  // namespace convoy::calibrate
