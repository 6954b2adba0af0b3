#pragma once

#include <atomic>
#include <convoy/device.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/plugin/device_plugin.hpp"
#include "tests/devices/fake/fake_lane.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing {

// How the fake devices of one plug-in behave.
struct FakeOptions {
  std::uint64_t seed = 1;
  std::uint32_t delay_microseconds = 0;  // the longest; before and after operations, at random
  bool shared_memory = false;            // address host memory and each other's
  bool joins_updates = true;             // sum several gradients in an APPLY
  int fail_device = -1;                  // this device's operation number fail_operation fails
  std::uint32_t fail_operation = 0;
  int hang_device = -1;  // this device's operation number hang_operation takes hang_milliseconds
  std::uint32_t hang_operation = 0;
  std::uint32_t hang_milliseconds = 0;
  double patience = 0;  // of the host; more than 0: the plug-in did not come with convoy
};

// Devices that are part of the test program, asynchronous as GPUs are: a thread per lane, no order
// between lanes but the waits. Without shared memory they refuse every region that is neither their
// own nor the host's. Place i is device i; the host's place comes last.
class FakeDevice : public Device {
 public:
  static std::uint32_t count(const DeviceHost& host, const convoy_device_request& request);
  static std::unique_ptr<Device> open(const DeviceHost& host, const convoy_device_request& request,
                                      std::uint32_t index);

  FakeDevice(std::uint32_t index, std::uint32_t devices, const FakeOptions& options);

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

 private:
  void execute(const convoy_submission& submission);
  void run(const convoy_submission& submission);
  void check_places(const convoy_submission& submission) const;
  void record_failure(const convoy_submission& submission, const std::string& reason);

  std::uint32_t index_;
  std::uint32_t devices_;
  FakeOptions options_;
  std::uint32_t submitted_ = 0;
  std::atomic<const convoy_submission*> failing_{nullptr};
  std::atomic<const convoy_submission*> hanging_{nullptr};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;  // guards failure_
  std::string failure_;
  std::vector<std::unique_ptr<FakeLane>> lanes_;  // last: they use everything above
};

// The gradient of a compiled graph: pulls every parameter towards a value of its own.
void fake_gradient(const GradientRequest& request, std::span<float> gradient);

// The plug-in, as if it had been loaded from a file.
std::unique_ptr<plugin::DevicePlugin> fake_plugin(const FakeOptions& options = {});

}  // namespace convoy::testing
