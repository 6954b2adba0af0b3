#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/conformance/mirrored_memory.hpp"
#include "core/plugin/device_plugin.hpp"

namespace convoy::conformance {

// The device to open: its number among how many, and its threads (0: as the machine has).
struct DevicePlace {
  std::uint32_t devices = 1;
  std::uint32_t index = 0;
  std::uint32_t threads = 0;
  double patience = 20;  // seconds; an operation takes much less, unless it hangs
};

// An open device that runs single operations on host memory, whatever memory it has. If it does not
// address host memory, run() copies the values to the device and back. Failures are Errors,
// kTimeout if an operation does not finish. The plug-in must outlive it.
class TestedDevice {
 public:
  explicit TestedDevice(const plugin::DevicePlugin& plugin, const DevicePlace& place = {});

  plugin::OpenDevice& open() { return device_; }
  const convoy_device_description& description() const { return description_; }
  double patience() const { return patience_; }
  bool has(convoy_device_flag flag) const { return (description_.flags & flag) != 0; }

  // Submits without mirroring memory.
  void submit(const convoy_submission& submission) { device_.submit(submission); }
  bool wait(const std::uint64_t& timeline, std::uint64_t value, double seconds);
  // Error kTimeout unless the timeline reaches the value in time.
  void require(const std::uint64_t& timeline, std::uint64_t value);
  // Submits one operation and waits for it.
  void run(const convoy_submission& submission);
  // Declares the size of memory that a program addresses. The memory must stay.
  void know(const void* memory, std::uint64_t bytes);
  void* compile(const convoy_compilation& what) { return device_.compile(what); }
  std::vector<convoy_profile_record> profile(void* program) { return device_.profile(program); }
  std::vector<convoy_layout> propose_layout(const convoy_compilation& what) {
    return device_.propose_layout(what);
  }

 private:
  void run_there(const convoy_submission& submission);

  plugin::OpenDevice device_;
  double patience_;
  convoy_device_description description_;
  std::unique_ptr<MirroredMemory> mirror_;  // null: the device addresses host memory
  // Belongs to the device until it has run, or for ever if it hangs.
  convoy_submission submitted_{};
  std::uint64_t timeline_ = 0;
  std::uint64_t value_ = 0;
};

// Returns a submission without waits.
convoy_submission operation(std::uint32_t kind, std::uint32_t lane = CONVOY_LANE_UPDATE);
// The same on these spans, which must outlive the submission.
convoy_submission operation(std::uint32_t kind, std::span<const convoy_region> reads,
                            std::span<const convoy_region> writes,
                            std::uint32_t lane = CONVOY_LANE_UPDATE);

template <typename T>
convoy_region region(std::vector<T>& data, std::uint32_t dtype = CONVOY_F32) {
  return {data.data(), data.size(), dtype, 0};
}

// Returns deterministic values in (-1, 1).
std::vector<float> noise(std::size_t count, std::uint32_t seed);

}  // namespace convoy::conformance
