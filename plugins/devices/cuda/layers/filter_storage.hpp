#pragma once

#include "plugins/devices/cuda/kernels/activation.hpp"
#include "plugins/devices/cuda/libraries/convolution_shape.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"

namespace convoy::cuda {

// The storage of a convolution's filter in the arena, and its conversion to the order and type that
// the convolution uses.
class FilterStorage {
 public:
  // Throws for storage in blocks, which CUDA devices never propose.
  FilterStorage(const VariablePlace& place, const ConvolutionShape& shape);

  // Whether the convolution accesses the arena directly.
  bool is_direct() const { return direct_; }
  std::uint64_t first() const { return first_; }
  std::uint64_t bytes() const { return elements() * bytes_of(type_); }  // of a copy

  void load(Stream stream, void* copy, const float* arena) const;
  void store(Stream stream, float* arena, const void* copy) const;

 private:
  std::uint64_t elements() const;

  Type type_;
  bool in_order_ = false;  // same order as the arena, apart from the type
  bool direct_ = false;
  std::uint64_t first_;
  Permutation order_;  // from the arena to the copy
};

}  // namespace convoy::cuda
