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

// Per dimension: the cells of every window that lie on the image, and the windows that reach every
// cell. Known beforehand, because finding them takes divisions.
struct PoolSpans {
  const Span* rows_of_windows;
  const Span* columns_of_windows;
  const Span* windows_of_rows;
  const Span* windows_of_columns;
};

// Pools over one image of bf16 activations with channels last, one instance per instruction set,
// all of the same bits. Every cell is computed in f32 from all that it depends on and rounded once,
// so bands of rows are independent. Gradients overwrite, or are added to what is there.
struct ChannelsLastPoolKernels {
  // Rows of the result. record: per element of the result which cell of its window was the largest,
  // the first one of equals; null when nobody wants to know. Not-a-number is larger than anything;
  // both zeros are equal, and the result is the positive one.
  void (*max_forward)(const PlaneWindows& shape, const PoolSpans& spans, std::size_t channels,
                      const RowBand& rows, const Bf16* read, Bf16* write, std::uint8_t* record);
  // Rows of what was read.
  void (*max_backward)(const PlaneWindows& shape, const PoolSpans& spans, std::size_t channels,
                       const RowBand& rows, const Bf16* gradient, const std::uint8_t* record,
                       Bf16* write, bool add);
  // shares: for each window one over the number of its cells.
  void (*average_forward)(const PlaneWindows& shape, const PoolSpans& spans, std::size_t channels,
                          const RowBand& rows, const Bf16* read, const float* shares, Bf16* write);
  void (*average_backward)(const PlaneWindows& shape, const PoolSpans& spans, std::size_t channels,
                           const RowBand& rows, const Bf16* gradient, const float* shares,
                           Bf16* write, bool add);
};

// The kernels that suit this processor best.
const ChannelsLastPoolKernels& channels_last_pool_kernels();

}  // namespace convoy::cpu
