#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "plugins/devices/cuda/lanes/lane_engine.hpp"

namespace convoy::cuda {

// Labels on their way to the device. They come from the host in memory of any kind, and a copy from
// memory that is not pinned would keep the queueing thread waiting for the stream. Used by that
// thread.
class PinnedLabels {
 public:
  // Gives pinned memory for as many labels as a batch has.
  using Allocate = std::function<std::shared_ptr<std::int32_t[]>()>;

  PinnedLabels(StreamDriver& streams, std::size_t count, Allocate allocate);
  ~PinnedLabels();
  PinnedLabels(const PinnedLabels&) = delete;
  PinnedLabels& operator=(const PinnedLabels&) = delete;

  // The same labels in pinned memory. The caller queues their copy on the input stream, then calls
  // copied().
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
  std::vector<Buffer> buffers_;  // as many as were ever under way
  std::size_t now_ = 0;          // the latest
};

// In pinned memory that all GPUs address.
PinnedLabels::Allocate pinned_labels(std::size_t count);

}  // namespace convoy::cuda
