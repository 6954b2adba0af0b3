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

#ifdef __AVX512BW__
Integers load_bytes(const Lanes& lanes, const std::uint8_t* from) {
  const __m128i bytes = _mm_maskz_loadu_epi8(lanes.mask(), from);
  return reinterpret_cast<Integers>(_mm512_maskz_cvtepu8_epi32(lanes.mask(), bytes));
}

void store_bytes(const Lanes& lanes, std::uint8_t* to, Integers value) {
  _mm512_mask_cvtepi32_storeu_epi8(to, lanes.mask(), reinterpret_cast<__m512i>(value));
}
#else
Integers load_bytes(const Lanes& lanes, const std::uint8_t* from) {
  return __builtin_convertvector(lanes.load_elements<Bytes>(from), Integers);
}

void store_bytes(const Lanes& lanes, std::uint8_t* to, Integers value) {
  lanes.store_elements(to, __builtin_convertvector(value, Bytes));
}
#endif

// Calls use(window, rows, columns) for the windows of some rows of the result.
template <typename Use>
inline void each_window(const PlaneWindows& s, const PoolSpans& spans, const RowBand& band,
                        const Use& use) {
  for (std::size_t y = band.first; y < band.end; ++y) {
    for (std::size_t x = 0; x < s.out_width; ++x) {
      use(y, x, spans.rows_of_windows[y], spans.columns_of_windows[x]);
    }
  }
}

// Calls use(cell, rows of windows, columns of windows) for the cells of some rows.
template <typename Use>
inline void each_cell(const PlaneWindows& s, const PoolSpans& spans, const RowBand& band,
                      const Use& use) {
  for (std::size_t y = band.first; y < band.end; ++y) {
    for (std::size_t x = 0; x < s.in_width; ++x) {
      use(y, x, spans.windows_of_rows[y], spans.windows_of_columns[x]);
    }
  }
}

// Where a cell lies in a window, counted row by row.
inline std::size_t place_in(const PlaneWindows& s, std::size_t y, std::size_t x, std::size_t row,
                            std::size_t column) {
  return (row + s.pad_top - y * s.stride_height) * s.kernel_width + column + s.pad_left -
         x * s.stride_width;
}

void max_forward(const PlaneWindows& s, const PoolSpans& spans, std::size_t channels,
                 const RowBand& band, const Bf16* read, Bf16* write, std::uint8_t* record) {
  each_window(
      s, spans, band, [&](std::size_t y, std::size_t x, const Span& rows, const Span& columns) {
        each_vector(channels, [&](std::size_t channel, const Lanes& lanes) {
          Vector best =
              lanes.load(read + (rows.first * s.in_width + columns.first) * channels + channel);
          Integers where = filled(place_in(s, y, x, rows.first, columns.first));
          for (std::size_t row = rows.first; row < rows.end; ++row) {
            for (std::size_t column = columns.first; column < columns.end; ++column) {
              const Vector value =
                  lanes.load(read + (row * s.in_width + column) * channels + channel);
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

void max_backward(const PlaneWindows& s, const PoolSpans& spans, std::size_t channels,
                  const RowBand& band, const Bf16* gradient, const std::uint8_t* record,
                  Bf16* write, bool add) {
  each_cell(s, spans, band,
            [&](std::size_t row, std::size_t column, const Span& ys, const Span& xs) {
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

void average_forward(const PlaneWindows& s, const PoolSpans& spans, std::size_t channels,
                     const RowBand& band, const Bf16* read, const float* shares, Bf16* write) {
  each_window(s, spans, band,
              [&](std::size_t y, std::size_t x, const Span& rows, const Span& columns) {
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

void average_backward(const PlaneWindows& s, const PoolSpans& spans, std::size_t channels,
                      const RowBand& band, const Bf16* gradient, const float* shares, Bf16* write,
                      bool add) {
  each_cell(s, spans, band,
            [&](std::size_t row, std::size_t column, const Span& ys, const Span& xs) {
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
