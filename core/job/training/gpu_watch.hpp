#pragma once

#include <convoy/abi.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/system/gpu_monitor.hpp"

namespace convoy::job {

// Watches the GPUs of a run through the driver's NVML while timed steps run. Several devices on one
// GPU count once. Without GPUs, or without the library, it does nothing.
class GpuWatch {
 public:
  explicit GpuWatch(const std::vector<convoy_device_description>& devices);

  // Returns whether the devices are GPUs, so that there is something to watch.
  bool has_gpus() const { return !addresses_.empty(); }
  void start();
  // Stops the watch and returns its readings.
  std::vector<GpuReadings> readings();

 private:
  std::vector<std::string> addresses_;
  std::unique_ptr<GpuMonitor> monitor_;
};

}  // namespace convoy::job
