#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "plugins/devices/cuda/lanes/lane_engine.hpp"

namespace convoy::cuda {

// Two buffers of device memory for a program's images. While layers read one, the next batch is
// copied to the other, on a separate stream. The host queues a step while the previous one
// computes, so copies are hidden as long as they are shorter than a step. Used by the thread that
// queues operations.
class InputBuffers {
 public:
  // Queues a copy from the host on the input stream.
  using Copy = std::function<void(void* to)>;

  InputBuffers(StreamDriver& streams, std::array<void*, 2> memory);
  ~InputBuffers();
  InputBuffers(const InputBuffers&) = delete;
  InputBuffers& operator=(const InputBuffers&) = delete;

  // Queues the copy of a batch as soon as the buffer's last batch has been read, and makes the lane
  // wait for it. Returns the future address of the batch.
  const void* bring(const Copy& copy, std::uint32_t lane);
  // Call it when all work that reads that batch is queued on the lane.
  void release(std::uint32_t lane);

 private:
  struct Buffer {
    void* memory = nullptr;
    StreamDriver::Event read = nullptr;  // its batch has been read
  };

  StreamDriver& streams_;
  std::array<Buffer, 2> buffers_;
  std::size_t now_ = 0;  // index of the buffer with the latest batch
};

}  // namespace convoy::cuda
