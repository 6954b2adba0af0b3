#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/devices/mirrored_memory.hpp"

namespace convoy::test {

// The table of the plug-in in this build tree: that of the CPU device, or of the kind that the
// environment variable CONVOY_TEST_DEVICE names ("cuda", or a plug-in's file).
const convoy_device& device_table();

// An open device, with failures as exceptions. Memory of the tests is host memory, which the CPU
// device addresses directly; run() mirrors it for devices that do not.
class DeviceUnderTest {
 public:
  explicit DeviceUnderTest(std::uint32_t devices = 1, std::uint32_t index = 0,
                           std::uint32_t threads = 0);
  ~DeviceUnderTest();
  DeviceUnderTest(const DeviceUnderTest&) = delete;
  DeviceUnderTest& operator=(const DeviceUnderTest&) = delete;

  void* self() { return self_; }
  void submit(const convoy_submission& submission);
  // Throws std::runtime_error with the device's text when an operation failed.
  bool wait(const std::uint64_t& timeline, std::uint64_t value, double seconds = 20.0);
  // Submits one operation and waits for it.
  void run(const convoy_submission& submission);
  // The size of memory that a program addresses; it must stay.
  void know(const void* memory, std::uint64_t bytes);
  void* compile(const convoy_compilation& what);
  std::vector<convoy_profile_record> profile(void* program);
  // Whether it computes its 16-bit type with 32-bit instructions.
  bool emulates_half();
  std::vector<convoy_layout> propose_layout(const convoy_compilation& what);
  std::vector<std::string> log;

 private:
  void require(std::int32_t status);
  void run_there(convoy_submission submission);
  std::unique_ptr<MirroredMemory> make_mirror();
  std::uint32_t description_flags();

  void* self_ = nullptr;
  std::unique_ptr<MirroredMemory> mirror_;  // null: the device addresses host memory
  std::string error_;
  std::uint64_t timeline_ = 0;
  std::uint64_t value_ = 0;
};

// A submission without waits.
convoy_submission operation(std::uint32_t kind, std::uint32_t lane = CONVOY_LANE_UPDATE);

template <typename T>
convoy_region region(std::vector<T>& data, std::uint32_t dtype = CONVOY_F32) {
  return {data.data(), data.size(), dtype, 0};
}

// Deterministic values in (-1, 1).
std::vector<float> noise(std::size_t count, std::uint32_t seed);

}  // namespace convoy::test
