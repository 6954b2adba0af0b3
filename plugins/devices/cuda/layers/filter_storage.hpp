#pragma once

#include "plugins/devices/cuda/convolution_shape.hpp"
#include "plugins/devices/cuda/kernels/activation.hpp"
#include "plugins/devices/cuda/program_builder.hpp"

namespace convoy::cuda {

// How a convolution's filter lies in the arena, and its way to the order and type that the
// convolution computes with.
class FilterStorage {
 public:
  // Throws for storage in blocks, which CUDA devices never propose.
  FilterStorage(const VariablePlace& place, const ConvolutionShape& shape);

  // The convolution reads and writes the arena itself.
  bool is_direct() const { return direct_; }
  std::uint64_t first() const { return first_; }
  std::uint64_t bytes() const;  // of a copy

  void load(Stream stream, void* copy, const float* arena) const;
  void store(Stream stream, float* arena, const void* copy) const;

 private:
  Type type_;
  bool direct_;
  std::uint64_t first_;
  Permutation order_;  // from the arena to the copy
};

}  // namespace convoy::cuda
