// Compiled once per instruction set, as kernels.cpp is.
#include "plugins/devices/cpu/kernels/channels_last_pool.hpp"

#include "plugins/devices/cpu/kernels/channel_lanes.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

// 32 channels, and a byte for each of them.
typedef std::int16_t Shorts __attribute__((vector_size(64)));
typedef std::uint8_t Bytes __attribute__((vector_size(32)));

inline Shorts filled_shorts(std::size_t value) {
  return Shorts{} + static_cast<std::int16_t>(value);
}

#ifdef __AVX512BW__
Shorts load_bytes(const PairLanes& lanes, const std::uint8_t* from) {
  const __m256i bytes = _mm256_maskz_loadu_epi8(lanes.mask(), from);
  return reinterpret_cast<Shorts>(_mm512_cvtepu8_epi16(bytes));
}

void store_bytes(const PairLanes& lanes, std::uint8_t* to, Shorts value) {
  _mm512_mask_cvtepi16_storeu_epi8(to, lanes.mask(), reinterpret_cast<__m512i>(value));
}
#else
Shorts load_bytes(const PairLanes& lanes, const std::uint8_t* from) {
  Bytes bytes = {};
  __builtin_memcpy(&bytes, from, lanes.count);
  return __builtin_convertvector(bytes, Shorts);
}

void store_bytes(const PairLanes& lanes, std::uint8_t* to, Shorts value) {
  const Bytes bytes = __builtin_convertvector(value, Bytes);
  __builtin_memcpy(to, &bytes, lanes.count);
}
#endif

constexpr std::int16_t kMagnitude = 0x7fff;

// Returns integers in the order of bf16 numbers, with NaN above all of them and equal zeros.
inline Shorts order_of(Words words) {
  constexpr std::int16_t kInfinity = 0x7f80;
  const Shorts value = reinterpret_cast<Shorts>(words);
  const Shorts magnitude = value & kMagnitude;
  const Shorts order = value < 0 ? -magnitude : magnitude;
  return magnitude > kInfinity ? Shorts{} + kMagnitude : order;
}

// Returns the numbers of such integers.
inline Words in_order(Shorts order) {
  constexpr std::int16_t kSign = -0x8000;
  return reinterpret_cast<Words>(order < 0 ? -order | kSign : order);
}

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

// The position of a cell in a window, counted row by row.
inline std::size_t place_in(const PlaneWindows& s, std::size_t y, std::size_t x, std::size_t row,
                            std::size_t column) {
  return (row + s.pad_top - y * s.stride_height) * s.kernel_width + column + s.pad_left -
         x * s.stride_width;
}

void max_forward(const PlaneWindows& s, const PoolSpans& spans, std::size_t channels,
                 const RowBand& band, const Bf16* read, Bf16* write, std::uint8_t* record) {
  each_window(
      s, spans, band, [&](std::size_t y, std::size_t x, const Span& rows, const Span& columns) {
        each_pair(channels, [&](std::size_t channel, const PairLanes& lanes) {
          constexpr std::int16_t kLeast = -0x8000;
          Shorts best = Shorts{} + kLeast, where = {};
          for (std::size_t row = rows.first; row < rows.end; ++row) {
            const Bf16* cell = read + (row * s.in_width + columns.first) * channels + channel;
            Shorts place = filled_shorts(place_in(s, y, x, row, columns.first));
            for (std::size_t column = columns.first; column < columns.end; ++column) {
              ask_ahead_of(cell);
              const Shorts value = order_of(lanes.load_words(cell));
              where = value > best ? place : where;
              best = value > best ? value : best;
              place += 1;
              cell += channels;
            }
          }
          const std::size_t at = (y * s.out_width + x) * channels + channel;
          lanes.store_words(write + at, in_order(best));
          if (record != nullptr) store_bytes(lanes, record + at, where);
        });
      });
}

void max_backward(const PlaneWindows& s, const PoolSpans& spans, std::size_t channels,
                  const RowBand& band, const Bf16* gradient, const std::uint8_t* record,
                  Bf16* write, bool add) {
  each_cell(
      s, spans, band, [&](std::size_t row, std::size_t column, const Span& ys, const Span& xs) {
        each_pair(channels, [&](std::size_t channel, const PairLanes& lanes) {
          Bf16* const to = write + (row * s.in_width + column) * channels + channel;
          const std::size_t next = (ys.end * s.out_width + xs.end) * channels + channel;
          ask_for(gradient + next);
          ask_for(record + next);
          ask_ahead_of(to);
          Pair sum = {};
          if (add) sum = lanes.load(to);
          for (std::size_t y = ys.first; y < ys.end; ++y) {
            for (std::size_t x = xs.first; x < xs.end; ++x) {
              const std::size_t at = (y * s.out_width + x) * channels + channel;
              const Shorts chosen =
                  load_bytes(lanes, record + at) == filled_shorts(place_in(s, y, x, row, column));
              sum = sum + parted(lanes.load_words(gradient + at) & reinterpret_cast<Words>(chosen));
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
                each_pair(channels, [&](std::size_t channel, const PairLanes& lanes) {
                  Pair sum = {};
                  for (std::size_t row = rows.first; row < rows.end; ++row) {
                    for (std::size_t column = columns.first; column < columns.end; ++column) {
                      const Bf16* cell = read + (row * s.in_width + column) * channels + channel;
                      ask_ahead_of(cell);
                      sum = sum + lanes.load(cell);
                    }
                  }
                  const Vector share = filled(shares[window]);
                  lanes.store(write + window * channels + channel, sum * Pair{share, share});
                });
              });
}

void average_backward(const PlaneWindows& s, const PoolSpans& spans, std::size_t channels,
                      const RowBand& band, const Bf16* gradient, const float* shares, Bf16* write,
                      bool add) {
  each_cell(
      s, spans, band, [&](std::size_t row, std::size_t column, const Span& ys, const Span& xs) {
        each_pair(channels, [&](std::size_t channel, const PairLanes& lanes) {
          Bf16* const to = write + (row * s.in_width + column) * channels + channel;
          ask_for(gradient + (ys.end * s.out_width + xs.end) * channels + channel);
          ask_ahead_of(to);
          Pair sum = {};
          if (add) sum = lanes.load(to);
          for (std::size_t y = ys.first; y < ys.end; ++y) {
            for (std::size_t x = xs.first; x < xs.end; ++x) {
              const std::size_t window = y * s.out_width + x;
              const Vector share = filled(shares[window]);
              sum = sum + lanes.load(gradient + window * channels + channel) * Pair{share, share};
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
