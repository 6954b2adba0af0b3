#pragma once

#include <convoy/abi.h>

#include "plugins/devices/cuda/kernels/compression.hpp"

namespace convoy::cuda {

// Queues top_k, scatter, quantise and dequantise, whose regions fit. Called by one thread, for one
// stream: its memory serves one choice after the other.
class Compression {
 public:
  Compression() = default;
  ~Compression();
  Compression(const Compression&) = delete;
  Compression& operator=(const Compression&) = delete;

  void run(const convoy_submission& operation, Stream stream);
  // Whether the memory that the operation needs is there: running it once makes it.
  bool is_ready(const convoy_submission& operation) const;

 private:
  void top_k(const convoy_submission& operation, Stream stream);

  SelectionMemory* memory_ = nullptr;
};

}  // namespace convoy::cuda
