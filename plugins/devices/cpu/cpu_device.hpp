#pragma once

#include <convoy/device.hpp>
#include <memory>

#include "plugins/devices/cpu/lanes/cores.hpp"
#include "plugins/devices/cpu/lanes/lane_engine.hpp"
#include "plugins/devices/cpu/operations/elementwise.hpp"

namespace convoy::cpu {

// A convoy device on a set of cores. All work, also compiling, happens on the engine's thread and
// its team. That team zeroes memory, so that it is near the cores.
class CpuDevice : public Device {
 public:
  static constexpr std::uint32_t kTraits = CONVOY_DEVICES_ON_HOST_PROCESSORS;
  static constexpr std::uint32_t kPreference = CONVOY_PREFERENCE_PROCESSORS;

  static std::uint32_t count(const DeviceHost& host, const convoy_device_request& request);
  static std::unique_ptr<Device> open(const DeviceHost& host, const convoy_device_request& request,
                                      std::uint32_t index);

  CpuDevice(const CoreSet::Share& share);

  void describe(convoy_device_description& out) override;
  void propose_layout(const convoy_compilation& what, convoy_layout* out) override;
  void* compile(const convoy_compilation& what) override;
  void release(void* program) override;
  void* allocate(std::uint64_t bytes) override;
  void deallocate(void* memory) override;
  void write(void* to, const void* from_host, std::uint64_t bytes) override;
  void read(void* to_host, const void* from, std::uint64_t bytes) override;
  void supports(const convoy_operation& operation) override;
  void submit(const convoy_submission& submission) override;
  bool wait(const convoy_wait& point, double seconds) override;
  double now() override;
  std::vector<convoy_profile_record> profile(void* program) override;
  double measure(std::uint32_t what) override;
  convoy_program_memory program_memory(void* program) override;

  bool shares_cores() const { return cores_.shares_cores(); }

 private:
  void execute(const convoy_submission& submission);

  CoreSet cores_;
  std::uint32_t index_;
  Elementwise elementwise_;
  std::unique_ptr<LaneEngine> engine_;
};

}  // namespace convoy::cpu
