#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/plugin/device_plugin.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::calibrate {

// An f32 vector in the memory of a device, all zeros.
class DeviceVector {
 public:
  DeviceVector(plugin::OpenDevice& device, std::uint64_t bytes);

  convoy_region region() const;
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Release {
    plugin::OpenDevice* device;
    void operator()(void* memory) const { device->deallocate(memory); }
  };
  std::uint64_t bytes_;
  std::unique_ptr<void, Release> memory_;
};

// Submits operations to one device outside any plan and measures their times. Only one thread may
// use it at a time. Error kTimeout if an operation takes longer than `patience` seconds. The
// devices are then abandoned, because the operation still runs.
class DeviceWork {
 public:
  // owners: the other devices whose memory the operations use.
  explicit DeviceWork(plugin::OpenDevice& device, std::vector<plugin::OpenDevice*> owners = {},
                      double patience = kPatience);

  // Returns whether an operation did not end, so that the device may use its memory until the
  // process ends.
  bool hangs() const { return flight_ == nullptr; }

  // Each function returns the seconds that the device took, by its own clock.
  double copy(const convoy_region& from, const convoy_region& to);
  // Computes result = a + b.
  double sum(const convoy_region& a, const convoy_region& b, const convoy_region& result);
  // Sums the gradients and updates the parameters with momentum.
  double update(const std::vector<convoy_region>& gradients, const convoy_region& parameters,
                const convoy_region& state);
  // Returns the seconds per operation for this number of fills of one element in one queue.
  double chain(const convoy_region& to, int operations);

 private:
  static constexpr double kPatience = 30;

  // The memory that the device may use until the operations end.
  struct Flight {
    std::uint64_t timeline = 0;
    convoy_timing first{};
    convoy_timing last{};
    std::vector<convoy_submission> submissions;
    std::vector<convoy_wait> waits;
    std::vector<convoy_region> reads;
    convoy_region write{};
    convoy_optimizer optimizer{};
    convoy_decay_range decayed{};
    double square_sum = 0;
    convoy_update update{};
    const convoy_update* updates = &update;
  };

  // Prepares an operation with these reads and this write. The caller sets what else its kind
  // needs.
  convoy_submission& prepare(std::uint32_t kind, std::uint32_t lane,
                             const std::vector<convoy_region>& reads, const convoy_region& write);
  double run();
  void wait();

  plugin::OpenDevice& device_;
  std::vector<plugin::OpenDevice*> owners_;
  double patience_;
  std::unique_ptr<Flight> flight_ = std::make_unique<Flight>();
  std::uint64_t value_ = 0;
};

}  // namespace convoy::calibrate
