#include "plugins/devices/cuda/layers/filter_storage.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "plugins/devices/cuda/kernels/arithmetic.hpp"
#include "plugins/devices/cuda/programs/propose_layouts.hpp"

namespace convoy::cuda {
namespace {

constexpr std::uint64_t kFilterAlignment = 4;  // elements; cuDNN requires 16 bytes

}  // namespace

FilterStorage::FilterStorage(const VariablePlace& place, const ConvolutionShape& shape)
    : type_(shape.type), first_(place.first), order_{} {
  const convoy_graph_variable& variable = *place.variable;
  const convoy_layout& layout = variable.layout;
  if (layout.inner_blocks != 0)
    throw std::invalid_argument(
        std::string("cuda device: no implementation of blocked storage yet, "
                    "as variable ") +
        variable.name + " has it");
  in_order_ = is_channels_last(variable);
  direct_ = type_ == Type::kFloat && in_order_ && first_ % kFilterAlignment == 0;
  constexpr int kOrder[] = {0, 2, 3, 1};  // output, row, column, input
  std::uint64_t stride = 1;
  for (int i = 3; i >= 0; --i) {
    order_.sizes[i] = static_cast<std::uint32_t>(variable.dimensions[kOrder[i]]);
    order_.read_strides[i] = layout.strides[kOrder[i]];
    order_.write_strides[i] = stride;
    stride *= order_.sizes[i];
  }
}

std::uint64_t FilterStorage::elements() const {
  std::uint64_t elements = 1;
  for (const std::uint32_t size : order_.sizes) elements *= size;
  return elements;
}

void FilterStorage::load(Stream stream, void* copy, const float* arena) const {
  if (in_order_) return cast(stream, copy, type_, arena, Type::kFloat, elements());
  permute(stream, copy, type_, arena, Type::kFloat, order_);
}

void FilterStorage::store(Stream stream, float* arena, const void* copy) const {
  if (in_order_) return cast(stream, arena, Type::kFloat, copy, type_, elements());
  Permutation back = order_;
  std::swap(back.read_strides, back.write_strides);
  permute(stream, arena, Type::kFloat, copy, type_, back);
}

}  // namespace convoy::cuda
