#include <convoy/sized.hpp>

#include "core/conformance/tested_device.hpp"

#include "core/base/error.hpp"

namespace convoy::conformance {

TestedDevice::TestedDevice(const plugin::DevicePlugin& plugin, const DevicePlace& place)
    : device_(plugin, {sizeof(convoy_device_request), place.devices, place.threads}, place.index),
      patience_(place.patience),
      description_(device_.describe()) {
  if (has(CONVOY_DEVICE_SHARES_HOST_MEMORY)) return;
  mirror_ = std::make_unique<MirroredMemory>(MirroredMemory::Functions{
      [this](std::uint64_t bytes) { return device_.allocate(bytes); },
      [this](void* memory) { device_.deallocate(memory); },
      [this](void* to, const void* from, std::uint64_t bytes) { device_.write(to, from, bytes); },
      [this](void* to, const void* from, std::uint64_t bytes) { device_.read(to, from, bytes); }});
}

bool TestedDevice::wait(const std::uint64_t& timeline, std::uint64_t value, double seconds) {
  return device_.wait({&timeline, value}, seconds);
}

void TestedDevice::require(const std::uint64_t& timeline, std::uint64_t value) {
  if (wait(timeline, value, patience_)) return;
  fail(ExitCode::kTimeout, "an operation did not finish within {} seconds", patience_);
}

void TestedDevice::know(const void* memory, std::uint64_t bytes) {
  if (mirror_) mirror_->know(memory, bytes);
}

void TestedDevice::run(const convoy_submission& submission) {
  if (!mirror_) return run_there(submission);
  mirror_->run(submission, [this](const convoy_submission& there) { run_there(there); });
}

void TestedDevice::run_there(const convoy_submission& submission) {
  submitted_ = submission;
  submitted_.timeline = &timeline_;
  submitted_.value = ++value_;
  submit(submitted_);
  require(timeline_, value_);
}

convoy_submission operation(std::uint32_t kind, std::uint32_t lane) {
  auto submission = make_sized<convoy_submission>();
  submission.kind = kind;
  submission.lane = lane;
  return submission;
}

convoy_submission operation(std::uint32_t kind, std::span<const convoy_region> reads,
                            std::span<const convoy_region> writes, std::uint32_t lane) {
  convoy_submission submission = operation(kind, lane);
  submission.reads = reads.data();
  submission.read_count = reads.size();
  submission.writes = writes.data();
  submission.write_count = writes.size();
  return submission;
}

std::vector<float> noise(std::size_t count, std::uint32_t seed) {
  std::vector<float> values(count);
  std::uint32_t state = seed * 2654435761u + 12345u;
  for (float& value : values) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    value = static_cast<float>(static_cast<double>(state) * 0x1p-31 - 1.0);
  }
  return values;
}

}  // namespace convoy::conformance
