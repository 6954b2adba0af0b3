#pragma once

#include <cstddef>
#include <cstdint>

#include "plugins/devices/cpu/kernels/channels_last.hpp"
#include "plugins/devices/cpu/kernels/plane_windows.hpp"

namespace convoy::cpu {

// Consecutive rows of one image.
struct RowBand {
  std::size_t first, end;
};

// A half-open range of cells, or of windows, along one dimension.
struct Span {
  std::size_t first, end;
};

// Per dimension: the cells of every window that are on the image, and the windows that contain
// every cell. They are computed in advance, because that takes divisions.
struct PoolSpans {
  const Span* rows_of_windows;
  const Span* columns_of_windows;
  const Span* windows_of_rows;
  const Span* windows_of_columns;
};

// Pools over one image of bf16 activations with channels last. There is one instance per
// instruction set, all with the same bits. Every cell is computed in f32 from all its inputs and
// rounded once, so bands of rows are independent. Gradients overwrite, or are added to the present
// values.
struct ChannelsLastPoolKernels {
  // Computes rows of the result. record: for each element of the result, the index of the largest
  // cell in its window, the first one of equal cells; null when not needed. NaN is larger than
  // anything. Both zeros are equal, and the result is the positive one.
  void (*max_forward)(const PlaneWindows& shape, const PoolSpans& spans, std::size_t channels,
                      const RowBand& rows, const Bf16* read, Bf16* write, std::uint8_t* record);
  // Computes rows of the input's gradient.
  void (*max_backward)(const PlaneWindows& shape, const PoolSpans& spans, std::size_t channels,
                       const RowBand& rows, const Bf16* gradient, const std::uint8_t* record,
                       Bf16* write, bool add);
  // shares: for each window, 1 / number of its cells.
  void (*average_forward)(const PlaneWindows& shape, const PoolSpans& spans, std::size_t channels,
                          const RowBand& rows, const Bf16* read, const float* shares, Bf16* write);
  void (*average_backward)(const PlaneWindows& shape, const PoolSpans& spans, std::size_t channels,
                           const RowBand& rows, const Bf16* gradient, const float* shares,
                           Bf16* write, bool add);
};

// Returns the best kernels for this processor.
const ChannelsLastPoolKernels& channels_last_pool_kernels();

}  // namespace convoy::cpu
