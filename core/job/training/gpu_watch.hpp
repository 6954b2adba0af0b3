#pragma once

#include <memory>
#include <vector>

#include "core/base/gpu_monitor.hpp"
#include "core/runtime/session.hpp"

namespace convoy::job {

// Watches the GPUs of a run through the driver's NVML while timed steps run. Several devices on one
// GPU count once. Without GPUs, or without the library, it does nothing.
class GpuWatch {
 public:
  explicit GpuWatch(const runtime::Session& session, const std::string& library = kNvmlFile);

  // Whether the devices are GPUs, so that there is something to watch.
  bool has_gpus() const { return !addresses_.empty(); }
  void start();
  // Ends the watching.
  std::vector<GpuReadings> readings();

 private:
  std::vector<std::string> addresses_;
  std::unique_ptr<GpuMonitor> monitor_;
};

}  // namespace convoy::job
