#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "plugins/devices/cuda/lanes/lane_engine.hpp"

namespace convoy::cuda {

// Two buffers of device memory through which a program's images come: while layers read one, the
// next batch is copied into the other, on a stream that does nothing else. The host queues a step
// while the one before computes, so that copies are hidden as long as they are shorter than a step.
// Used by the thread that queues operations.
class InputBuffers {
 public:
  // Queues a copy from the host on the input stream.
  using Copy = std::function<void(void* to)>;

  InputBuffers(StreamDriver& streams, std::array<void*, 2> memory);
  ~InputBuffers();
  InputBuffers(const InputBuffers&) = delete;
  InputBuffers& operator=(const InputBuffers&) = delete;

  // Queues the copy of a batch, as soon as what read the buffer's last batch is done, and lets the
  // lane wait for it. Where the batch will be.
  const void* bring(const Copy& copy, std::uint32_t lane);
  // Everything that reads that batch is queued on the lane.
  void release(std::uint32_t lane);

 private:
  struct Buffer {
    void* memory = nullptr;
    StreamDriver::Event read = nullptr;  // its batch is not needed any more
  };

  StreamDriver& streams_;
  std::array<Buffer, 2> buffers_;
  std::size_t now_ = 0;  // the one that the latest batch is in
};

}  // namespace convoy::cuda
