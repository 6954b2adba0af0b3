#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "plugins/devices/cuda/lanes/lane_engine.hpp"

namespace convoy::cuda {

// Labels on their way to the device. The host has them in memory of any kind, and a copy from
// memory that is not pinned would make the queueing thread wait for the stream. Used by that
// thread.
class PinnedLabels {
 public:
  // Allocates pinned memory for the labels of a batch.
  using Allocate = std::function<std::shared_ptr<std::int32_t[]>()>;

  PinnedLabels(StreamDriver& streams, std::size_t count, Allocate allocate);
  ~PinnedLabels();
  PinnedLabels(const PinnedLabels&) = delete;
  PinnedLabels& operator=(const PinnedLabels&) = delete;

  // Returns the same labels in pinned memory. The caller queues their copy on the input stream,
  // then calls copied().
  const std::int32_t* hold(const std::int32_t* labels);
  void copied();

 private:
  struct Buffer {
    std::shared_ptr<std::int32_t[]> memory;
    StreamDriver::Event copied = nullptr;  // null: free
  };

  Buffer& free_buffer();

  StreamDriver& streams_;
  std::size_t count_;
  Allocate allocate_;
  std::vector<Buffer> buffers_;  // as many as were ever in use at once
  std::size_t now_ = 0;          // index of the latest
};

// Uses pinned memory that all GPUs address.
PinnedLabels::Allocate pinned_labels(std::size_t count);

}  // namespace convoy::cuda
