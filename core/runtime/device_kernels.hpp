#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/plan/plan.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/memory.hpp"
#include "core/runtime/open_devices.hpp"

namespace convoy::runtime {

// A strategy's kernels, built for the devices that call them if these do not run host functions.
// The destructor frees them.
class DeviceKernels {
 public:
  // Builds the kernels that a lowered plan calls on this host. Error kUnavailable as in
  // require_form() and OpenDevice::build_kernel().
  DeviceKernels(const plan::Plan& lowered, const Engines& engines, plugin::StrategyPlugin& strategy,
                std::shared_ptr<OpenDevices> devices);
  ~DeviceKernels();
  DeviceKernels(const DeviceKernels&) = delete;
  DeviceKernels& operator=(const DeviceKernels&) = delete;

  // Returns the value for convoy_submission.device_kernel; null: the device runs the host function.
  void* find(const plugin::OpenDevice* device, const std::string& kernel) const;

 private:
  explicit DeviceKernels(std::shared_ptr<OpenDevices> devices) : devices_(std::move(devices)) {}

  std::shared_ptr<OpenDevices> devices_;  // they free the kernels
  std::map<std::pair<plugin::OpenDevice*, std::string>, void*> built_;
};

// Builds one kernel for one device, in one of these forms of the strategy. The caller frees it.
void* build_kernel_for(plugin::OpenDevice& device, const plugin::KernelForms& forms,
                       plugin::StrategyPlugin& strategy, const std::string& kernel);

}  // namespace convoy::runtime
