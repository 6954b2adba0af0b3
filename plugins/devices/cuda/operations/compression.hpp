#pragma once

#include <convoy/abi.h>

#include "plugins/devices/cuda/kernels/compression.hpp"

namespace convoy::cuda {

// Queues top_k, scatter, quantise and dequantise on regions that fit. One thread calls it, for one
// stream, because consecutive selections share its memory.
class Compression {
 public:
  Compression() = default;
  ~Compression();
  Compression(const Compression&) = delete;
  Compression& operator=(const Compression&) = delete;

  void run(const convoy_submission& operation, Stream stream);
  // Whether the memory for the operation exists: running it once makes it.
  bool is_ready(const convoy_submission& operation) const;

 private:
  void top_k(const convoy_submission& operation, Stream stream);

  SelectionMemory* memory_ = nullptr;
};

}  // namespace convoy::cuda
