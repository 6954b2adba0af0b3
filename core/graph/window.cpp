#include "core/graph/window.hpp"

#include "core/base/error.hpp"

namespace convoy::graph {
namespace {

uint32_t narrow(uint64_t value) {
  return static_cast<uint32_t>(value);
}

AxisWindow cover_same(uint64_t input, uint64_t kernel, uint64_t stride) {
  const uint64_t output = (input + stride - 1) / stride;
  const uint64_t needed = (output - 1) * stride + kernel;
  const uint64_t total = needed > input ? needed - input : 0;
  return {narrow(output), narrow(total / 2), narrow(total - total / 2)};
}

AxisWindow cover_padded(uint64_t input, uint64_t kernel, uint64_t stride, uint64_t total) {
  const uint64_t padded = input + total;
  if (kernel > padded) return {};
  return {narrow((padded - kernel) / stride + 1), narrow(total / 2), narrow(total - total / 2)};
}

}  // namespace

AxisWindow cover_axis(uint32_t input, uint32_t kernel, uint32_t stride, uint32_t padding) {
  CONVOY_CHECK(input > 0 && kernel > 0 && stride > 0);
  switch (padding) {
    case CONVOY_PADDING_VALID:
      return cover_padded(input, kernel, stride, 0);
    case CONVOY_PADDING_SAME:
      return cover_same(input, kernel, stride);
    case CONVOY_PADDING_FIXED:
      return stride == 1 ? cover_same(input, kernel, 1)
                         : cover_padded(input, kernel, stride, kernel - 1);
    default:
      detail::check_failed("padding is known", __FILE__, __LINE__, fmt::format("{}", padding));
  }
}

}  // namespace convoy::graph
