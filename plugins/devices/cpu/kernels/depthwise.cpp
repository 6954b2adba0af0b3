// Compiled once per instruction set; products and sums are fused if the set supports it. Uses no
// library templates: see kernels.cpp.
#include "plugins/devices/cpu/kernels/depthwise_boxes.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

template <std::size_t block>
struct Lanes {
  typedef float Vector __attribute__((vector_size(block * sizeof(float))));

  // Cells whose sums are computed side by side; with nine weights, they fit sixteen registers.
  static constexpr std::size_t kCells = 4;

  static Vector load(const float* from) {
    Vector value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  }
  static void store(float* to, Vector value) { __builtin_memcpy(to, &value, sizeof value); }
};

// Where the cells of a box are written; distances are in floats.
struct Target {
  float* first;
  std::size_t row, column;
};

// Computes the sums of neighbouring cells of one row: start + sum over the taps, in order.
template <std::size_t block, std::size_t kCells, typename Write>
inline void sum_cells(std::size_t taps, const float* const* reads, std::size_t step,
                      const typename Lanes<block>::Vector* weights,
                      typename Lanes<block>::Vector start, float* to, std::size_t to_step,
                      const Write& write) {
  using L = Lanes<block>;
  typename L::Vector sums[kCells];
  for (std::size_t i = 0; i < kCells; ++i) sums[i] = start;
#pragma GCC unroll 9
  for (std::size_t tap = 0; tap < taps; ++tap) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kCells; ++i)
      sums[i] += L::load(reads[tap] + i * step) * weights[tap];
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i < kCells; ++i) write(to + i * to_step, sums[i]);
}

// kTaps: the number of taps if the compiler knows it, so that it keeps the weights in registers.
template <std::size_t block, std::size_t kTaps, typename Write>
inline void sum_rows(const Box& box, const float* weights, typename Lanes<block>::Vector start,
                     const Target& target, const Write& write) {
  using L = Lanes<block>;
  const std::size_t taps = kTaps > 0 ? kTaps : box.taps;
  typename L::Vector values[kTaps > 0 ? kTaps : kMostDepthwiseTaps];
  for (std::size_t tap = 0; tap < taps; ++tap) {
    values[tap] = L::load(weights + box.places[tap] * block);
  }
  const std::size_t step = box.read_column;
  const std::size_t columns = box.columns;
  for (std::size_t y = 0; y < box.rows; ++y) {
    const float* reads[kTaps > 0 ? kTaps : kMostDepthwiseTaps];
    for (std::size_t tap = 0; tap < taps; ++tap) reads[tap] = box.reads[tap] + y * box.read_row;
    float* to = target.first + y * target.row;
    const auto sum = [&]<std::size_t kCells>() {
      sum_cells<block, kCells>(taps, reads, step, values, start, to, target.column, write);
      for (std::size_t tap = 0; tap < taps; ++tap) reads[tap] += kCells * step;
      to += kCells * target.column;
    };
    std::size_t x = 0;
    for (; x + Lanes<block>::kCells <= columns; x += Lanes<block>::kCells) {
      sum.template operator()<Lanes<block>::kCells>();
    }
    for (; x < columns; ++x) sum.template operator()<1>();
  }
}

// Calls write(place, sum) for the cells of a box. Filters of 3x3 have 9, 6 or 4 taps on an image.
template <std::size_t block, typename Write>
inline void sum_box(const Box& box, const float* weights, typename Lanes<block>::Vector start,
                    const Target& target, const Write& write) {
  switch (box.taps) {
    case 9:
      return sum_rows<block, 9>(box, weights, start, target, write);
    case 6:
      return sum_rows<block, 6>(box, weights, start, target, write);
    case 4:
      return sum_rows<block, 4>(box, weights, start, target, write);
    default:
      return sum_rows<block, 0>(box, weights, start, target, write);
  }
}

// NaN passes through, so that a diverged run is noticed.
template <std::size_t block>
void forward(const PlaneWindows& w, const float* read, const float* weights,
             const DepthwiseEpilogue& epilogue, float* write) {
  using L = Lanes<block>;
  using Vector = typename L::Vector;
  const Vector start = epilogue.bias == nullptr ? Vector{} : L::load(epilogue.bias);
  const Vector lower = epilogue.lower - Vector{};
  const Vector upper = epilogue.upper - Vector{};
  each_box<block>(w, false, read, [&](const Box& box) {
    const Target target{write + (box.first_row * w.out_width + box.first_column) * block,
                        w.out_width * block, block};
    sum_box<block>(box, weights, start, target, [lower, upper](float* to, Vector sum) {
      sum = sum < lower ? lower : sum;
      L::store(to, sum > upper ? upper : sum);
    });
  });
}

template <std::size_t block>
void backward_data(const PlaneWindows& w, const float* gradient, const float* weights, float* write,
                   bool add) {
  using L = Lanes<block>;
  using Vector = typename L::Vector;
  each_box<block>(w, true, gradient, [&](const Box& box) {
    const Target target{write + (box.first_row * w.in_width + box.first_column) * block,
                        w.stride_height * w.in_width * block, w.stride_width * block};
    if (add) {
      sum_box<block>(box, weights, Vector{}, target,
                     [](float* to, Vector sum) { L::store(to, L::load(to) + sum); });
    } else {
      sum_box<block>(box, weights, Vector{}, target,
                     [](float* to, Vector sum) { L::store(to, sum); });
    }
  });
}

// Adds the gradients of some taps over one box to those of the plane. gradient: that of the box's
// first cell.
template <std::size_t block, std::size_t kTaps>
void add_taps(const Box& box, std::size_t first_tap, const float* gradient,
              std::size_t gradient_row, float* weights) {
  using L = Lanes<block>;
  typename L::Vector sums[kTaps] = {};
  for (std::size_t y = 0; y < box.rows; ++y) {
    const float* reads[kTaps];
    for (std::size_t tap = 0; tap < kTaps; ++tap) {
      reads[tap] = box.reads[first_tap + tap] + y * box.read_row;
    }
    const float* const line = gradient + y * gradient_row;
    for (std::size_t x = 0; x < box.columns; ++x) {
      const auto value = L::load(line + x * block);
#pragma GCC unroll 9
      for (std::size_t tap = 0; tap < kTaps; ++tap) {
        sums[tap] += L::load(reads[tap] + x * box.read_column) * value;
      }
    }
  }
  for (std::size_t tap = 0; tap < kTaps; ++tap) {
    float* const total = weights + box.places[first_tap + tap] * block;
    L::store(total, L::load(total) + sums[tap]);
  }
}

template <std::size_t block>
void backward_weights(const PlaneWindows& w, const float* read, const float* gradient,
                      float* weights, float* bias) {
  using L = Lanes<block>;
  __builtin_memset(weights, 0, w.kernel_height * w.kernel_width * block * sizeof(float));
  const std::size_t row = w.out_width * block;
  each_box<block>(w, false, read, [&](const Box& box) {
    const float* from = gradient + box.first_row * row + box.first_column * block;
    std::size_t tap = 0;
    for (; tap + 9 <= box.taps; tap += 9) add_taps<block, 9>(box, tap, from, row, weights);
    for (; tap + 6 <= box.taps; tap += 6) add_taps<block, 6>(box, tap, from, row, weights);
    for (; tap + 4 <= box.taps; tap += 4) add_taps<block, 4>(box, tap, from, row, weights);
    for (; tap < box.taps; ++tap) add_taps<block, 1>(box, tap, from, row, weights);
  });
  if (bias == nullptr) return;
  typename L::Vector total = {};
  for (std::size_t y = 0; y < w.out_height; ++y) {
    typename L::Vector sum = {};
    for (std::size_t x = 0; x < w.out_width; ++x) sum += L::load(gradient + y * row + x * block);
    total += sum;
  }
  L::store(bias, total);
}

}  // namespace

extern const DepthwiseKernels kDepthwiseTables[2];
const DepthwiseKernels kDepthwiseTables[2] = {
    {forward<8>, backward_data<8>, backward_weights<8>},
    {forward<16>, backward_data<16>, backward_weights<16>}};

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
