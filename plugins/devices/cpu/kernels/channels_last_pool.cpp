// Compiled once per instruction set, as kernels.cpp is.
#include "plugins/devices/cpu/kernels/channels_last_pool.hpp"

#include "plugins/devices/cpu/kernels/channel_lanes.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

typedef std::int32_t Integers __attribute__((vector_size(64)));
typedef std::uint8_t Bytes __attribute__((vector_size(16)));

inline Integers filled(std::size_t value) {
  return Integers{} + static_cast<std::int32_t>(value);
}

Integers load_bytes(const Lanes& lanes, const std::uint8_t* from) {
#ifdef __AVX512BW__
  const auto value = reinterpret_cast<Bytes>(_mm_maskz_loadu_epi8(lanes.mask(), from));
#else
  const auto value = lanes.load_elements<Bytes>(from);
#endif
  return __builtin_convertvector(value, Integers);
}

void store_bytes(const Lanes& lanes, std::uint8_t* to, Integers value) {
  const Bytes bytes = __builtin_convertvector(value, Bytes);
#ifdef __AVX512BW__
  _mm_mask_storeu_epi8(to, lanes.mask(), reinterpret_cast<__m128i>(bytes));
#else
  lanes.store_elements(to, bytes);
#endif
}

// A half-open range of cells, or of windows, along one dimension.
struct Span {
  std::size_t first, end;
};

// The cells of a window that lie on the image.
inline Span cells_of(std::size_t window, std::size_t stride, std::size_t pad, std::size_t kernel,
                     std::size_t cells) {
  const std::size_t start = window * stride;
  const std::size_t first = start > pad ? start - pad : 0;
  const std::size_t end = start + kernel > pad ? start + kernel - pad : 0;
  return {first, end < cells ? end : cells};
}

// The windows that reach a cell: the first is the first one that ends behind it.
inline Span windows_of(std::size_t cell, std::size_t stride, std::size_t pad, std::size_t kernel,
                       std::size_t windows) {
  const std::size_t place = cell + pad;
  const std::size_t first = place < kernel ? 0 : (place - kernel) / stride + 1;
  const std::size_t end = place / stride + 1;
  return {first, end < windows ? end : windows};
}

// Calls use(window, rows, columns) for the windows of some rows of the result.
template <typename Use>
inline void each_window(const PlaneWindows& s, const RowBand& band, const Use& use) {
  for (std::size_t y = band.first; y < band.end; ++y) {
    const Span rows = cells_of(y, s.stride_height, s.pad_top, s.kernel_height, s.in_height);
    for (std::size_t x = 0; x < s.out_width; ++x) {
      use(y, x, rows, cells_of(x, s.stride_width, s.pad_left, s.kernel_width, s.in_width));
    }
  }
}

// Calls use(cell, rows of windows, columns of windows) for the cells of some rows.
template <typename Use>
inline void each_cell(const PlaneWindows& s, const RowBand& band, const Use& use) {
  for (std::size_t y = band.first; y < band.end; ++y) {
    const Span rows = windows_of(y, s.stride_height, s.pad_top, s.kernel_height, s.out_height);
    for (std::size_t x = 0; x < s.in_width; ++x) {
      use(y, x, rows, windows_of(x, s.stride_width, s.pad_left, s.kernel_width, s.out_width));
    }
  }
}

// Where a cell lies in a window, counted row by row.
inline std::size_t place_in(const PlaneWindows& s, std::size_t y, std::size_t x, std::size_t row,
                            std::size_t column) {
  return (row + s.pad_top - y * s.stride_height) * s.kernel_width + column + s.pad_left -
         x * s.stride_width;
}

void max_forward(const PlaneWindows& s, std::size_t channels, const RowBand& band, const Bf16* read,
                 Bf16* write, std::uint8_t* record) {
  each_window(s, band, [&](std::size_t y, std::size_t x, const Span& rows, const Span& columns) {
    each_vector(channels, [&](std::size_t channel, const Lanes& lanes) {
      Vector best =
          lanes.load(read + (rows.first * s.in_width + columns.first) * channels + channel);
      Integers where = filled(place_in(s, y, x, rows.first, columns.first));
      for (std::size_t row = rows.first; row < rows.end; ++row) {
        for (std::size_t column = columns.first; column < columns.end; ++column) {
          const Vector value = lanes.load(read + (row * s.in_width + column) * channels + channel);
          const auto larger = (value > best) | (value != value);
          best = larger ? value : best;
          where = larger ? filled(place_in(s, y, x, row, column)) : where;
        }
      }
      const std::size_t at = (y * s.out_width + x) * channels + channel;
      lanes.store(write + at, best);
      if (record != nullptr) store_bytes(lanes, record + at, where);
    });
  });
}

void max_backward(const PlaneWindows& s, std::size_t channels, const RowBand& band,
                  const Bf16* gradient, const std::uint8_t* record, Bf16* write, bool add) {
  each_cell(s, band, [&](std::size_t row, std::size_t column, const Span& ys, const Span& xs) {
    each_vector(channels, [&](std::size_t channel, const Lanes& lanes) {
      Bf16* const to = write + (row * s.in_width + column) * channels + channel;
      const Vector zero = {};
      Vector sum = add ? lanes.load(to) : zero;
      for (std::size_t y = ys.first; y < ys.end; ++y) {
        for (std::size_t x = xs.first; x < xs.end; ++x) {
          const std::size_t at = (y * s.out_width + x) * channels + channel;
          const auto chosen =
              load_bytes(lanes, record + at) == filled(place_in(s, y, x, row, column));
          sum += chosen ? lanes.load(gradient + at) : zero;
        }
      }
      lanes.store(to, sum);
    });
  });
}

void average_forward(const PlaneWindows& s, std::size_t channels, const RowBand& band,
                     const Bf16* read, const float* shares, Bf16* write) {
  each_window(s, band, [&](std::size_t y, std::size_t x, const Span& rows, const Span& columns) {
    const std::size_t window = y * s.out_width + x;
    each_vector(channels, [&](std::size_t channel, const Lanes& lanes) {
      Vector sum = {};
      for (std::size_t row = rows.first; row < rows.end; ++row) {
        for (std::size_t column = columns.first; column < columns.end; ++column) {
          sum += lanes.load(read + (row * s.in_width + column) * channels + channel);
        }
      }
      lanes.store(write + window * channels + channel, sum * shares[window]);
    });
  });
}

void average_backward(const PlaneWindows& s, std::size_t channels, const RowBand& band,
                      const Bf16* gradient, const float* shares, Bf16* write, bool add) {
  each_cell(s, band, [&](std::size_t row, std::size_t column, const Span& ys, const Span& xs) {
    each_vector(channels, [&](std::size_t channel, const Lanes& lanes) {
      Bf16* const to = write + (row * s.in_width + column) * channels + channel;
      Vector sum = {};
      if (add) sum = lanes.load(to);
      for (std::size_t y = ys.first; y < ys.end; ++y) {
        for (std::size_t x = xs.first; x < xs.end; ++x) {
          const std::size_t window = y * s.out_width + x;
          sum += lanes.load(gradient + window * channels + channel) * shares[window];
        }
      }
      lanes.store(to, sum);
    });
  });
}

}  // namespace

extern const ChannelsLastPoolKernels kChannelsLastPool;
const ChannelsLastPoolKernels kChannelsLastPool = {max_forward, max_backward, average_forward,
                                                   average_backward};

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
