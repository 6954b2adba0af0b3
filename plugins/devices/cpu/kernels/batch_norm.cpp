// Compiled once per instruction set, as kernels.cpp is.
#include "plugins/devices/cpu/kernels/batch_norm.hpp"

#include "plugins/devices/cpu/kernels/ask_ahead.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

// cells that are summed in f32; they stay in the first-level cache
constexpr std::size_t kRun = 256;
constexpr std::size_t kSums = 4;  // independent sums, to hide the latency of an addition

template <std::size_t block>
struct Lanes {
  typedef float Vector __attribute__((vector_size(block * sizeof(float))));

  static Vector load(const float* from) {
    Vector value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  }
  static void store(float* to, Vector value) { __builtin_memcpy(to, &value, sizeof value); }
  static Vector fill(float value) { return value - Vector{}; }
};

// Adds term(cell) over the cells [0, count) to the doubles, one per channel.
template <std::size_t block, typename Term>
inline void sum_cells(std::size_t count, const Term& term, double* total) {
  using Vector = typename Lanes<block>::Vector;
  Vector sums[kSums] = {};
  std::size_t cell = 0;
  for (; cell + kSums <= count; cell += kSums) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kSums; ++i) sums[i] += term(cell + i);
  }
  for (; cell < count; ++cell) sums[0] += term(cell);
  const Vector sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (std::size_t lane = 0; lane < block; ++lane) total[lane] += static_cast<double>(sum[lane]);
}

// Chan's rule: the moments of a union from those of its parts.
template <std::size_t block>
inline void merge(double* mean, double* squares, std::size_t before, const double* run_mean,
                  const double* run_squares, std::size_t size) {
  const auto old_count = static_cast<double>(before);
  const auto run_count = static_cast<double>(size);
  const double share = run_count / (old_count + run_count);
  for (std::size_t lane = 0; lane < block; ++lane) {
    const double distance = run_mean[lane] - mean[lane];
    mean[lane] += distance * share;
    squares[lane] += run_squares[lane] + distance * distance * old_count * share;
  }
}

template <std::size_t block>
void moments(const float* read, std::size_t cells, double* mean, double* squares) {
  using L = Lanes<block>;
  for (std::size_t lane = 0; lane < block; ++lane) mean[lane] = squares[lane] = 0.0;
  for (std::size_t done = 0; done < cells; done += kRun) {
    const std::size_t size = cells - done < kRun ? cells - done : kRun;
    const float* run = read + done * block;
    double run_mean[block] = {};
    double run_squares[block] = {};
    const auto value = [run](std::size_t cell) { return L::load(run + cell * block); };
    const auto first_value = [run](std::size_t cell) {
      ask_ahead_of(run + cell * block);
      return L::load(run + cell * block);
    };
    sum_cells<block>(size, first_value, run_mean);
    float centre[block];
    for (std::size_t lane = 0; lane < block; ++lane) {
      centre[lane] = static_cast<float>(run_mean[lane] / static_cast<double>(size));
      run_mean[lane] = static_cast<double>(centre[lane]);
    }
    const auto middle = L::load(centre);
    // The centre is rounded. The remaining sum of distances corrects mean and squares.
    double rest[block] = {};
    sum_cells<block>(
        size, [&](std::size_t cell) { return value(cell) - middle; }, rest);
    const auto square = [&](std::size_t cell) {
      const auto distance = value(cell) - middle;
      return distance * distance;
    };
    sum_cells<block>(size, square, run_squares);
    for (std::size_t lane = 0; lane < block; ++lane) {
      const double shift = rest[lane] / static_cast<double>(size);
      run_mean[lane] += shift;
      run_squares[lane] -= shift * rest[lane];
    }
    merge<block>(mean, squares, done, run_mean, run_squares, size);
  }
}

// NaN passes through, so that a diverged run is noticed.
template <std::size_t block, bool kAdd>
void normalise_cells(float* write, const float* read, const float* addend, std::size_t cells,
                     const NormaliseConstants& constants) {
  using L = Lanes<block>;
  const auto mean = L::load(constants.mean);
  const auto scale = L::load(constants.scale);
  const auto shift = L::load(constants.shift);
  const auto lower = L::fill(constants.lower);
  const auto upper = L::fill(constants.upper);
#pragma GCC ivdep
  for (std::size_t i = 0; i < cells * block; i += block) {
    auto value = (L::load(read + i) - mean) * scale + shift;
    if (kAdd) value += L::load(addend + i);
    value = value < lower ? lower : value;
    L::store(write + i, value > upper ? upper : value);
  }
}

template <std::size_t block>
void normalise(float* write, const float* read, const float* addend, std::size_t cells,
               const NormaliseConstants& constants) {
  if (addend == nullptr) {
    normalise_cells<block, false>(write, read, addend, cells, constants);
  } else {
    normalise_cells<block, true>(write, read, addend, cells, constants);
  }
}

// The gradient of one cell behind the relu.
template <std::size_t block, bool kMask>
struct Masked {
  using L = Lanes<block>;
  using Vector = typename L::Vector;

  explicit Masked(const NormGradientConstants& constants)
      : mean(L::load(constants.mean)),
        scale(L::load(constants.forward.scale)),
        shift(L::load(constants.forward.shift)),
        upper(L::fill(constants.forward.upper)) {}

  // If the load of a gradient depends on the mask, it waits for the mask, because the processor
  // does not load it early by itself.
  void ask_ahead_of_cell(const float* gradient, const float* read) const {
    if constexpr (!kMask) return;
    ask_ahead_of(gradient);
    ask_ahead_of(read);
  }

  // distance: the element that was read minus the mean.
  Vector operator()(const float* gradient, const Vector& distance) const {
    const Vector value = L::load(gradient);
    if constexpr (!kMask) return value;
    const Vector zero = {};
    const Vector result = distance * scale + shift;
    const auto cut = (result <= zero) | (result >= upper);
    return cut ? zero : value;
  }

  Vector mean, scale, shift, upper;
};

template <std::size_t block, bool kAdd, bool kCut>
void join_cells(const JoinedGradient& joined, std::size_t first, std::size_t end) {
  using L = Lanes<block>;
  const typename L::Vector zero = {};
  const auto upper = L::fill(joined.upper);
#pragma GCC ivdep
  for (std::size_t i = first * block; i < end * block; i += block) {
    auto value = L::load(joined.gradient + i);
    if (kAdd) value += L::load(joined.addend + i);
    if (kCut) {
      const auto output = L::load(joined.output + i);
      value = ((output <= zero) | (output >= upper)) ? zero : value;
    }
    L::store(joined.gradient + i, value);
  }
}

template <std::size_t block>
void join(const JoinedGradient& joined, std::size_t first, std::size_t end) {
  if (joined.addend != nullptr && joined.output != nullptr) {
    join_cells<block, true, true>(joined, first, end);
  } else if (joined.addend != nullptr) {
    join_cells<block, true, false>(joined, first, end);
  } else if (joined.output != nullptr) {
    join_cells<block, false, true>(joined, first, end);
  }
}

template <std::size_t block, bool kMask>
void sums_of_cells(const JoinedGradient& joined, const float* read, std::size_t cells,
                   const NormGradientConstants& constants, double* sum, double* product) {
  using L = Lanes<block>;
  using Vector = typename L::Vector;
  const Masked<block, kMask> masked(constants);
  for (std::size_t done = 0; done < cells; done += kRun) {
    const std::size_t end = cells - done < kRun ? cells : done + kRun;
    join<block>(joined, done, end);
    Vector sums[2] = {};
    Vector products[2] = {};
    const auto add = [&](std::size_t cell, std::size_t i) {
      masked.ask_ahead_of_cell(joined.gradient + cell * block, read + cell * block);
      const Vector distance = L::load(read + cell * block) - masked.mean;
      const Vector value = masked(joined.gradient + cell * block, distance);
      sums[i] += value;
      products[i] += value * distance;
    };
    std::size_t cell = done;
    for (; cell + 2 <= end; cell += 2) {
      add(cell, 0);
      add(cell + 1, 1);
    }
    if (cell < end) add(cell, 0);
    for (std::size_t lane = 0; lane < block; ++lane) {
      sum[lane] += static_cast<double>(sums[0][lane]) + static_cast<double>(sums[1][lane]);
      product[lane] +=
          static_cast<double>(products[0][lane]) + static_cast<double>(products[1][lane]);
    }
  }
}

template <std::size_t block>
void gradient_sums(const JoinedGradient& joined, const float* read, std::size_t cells, bool relu,
                   const NormGradientConstants& constants, double* sum, double* product) {
  for (std::size_t lane = 0; lane < block; ++lane) sum[lane] = product[lane] = 0.0;
  if (relu) {
    sums_of_cells<block, true>(joined, read, cells, constants, sum, product);
  } else {
    sums_of_cells<block, false>(joined, read, cells, constants, sum, product);
  }
}

template <std::size_t block, bool kMask, bool kAdd>
void gradient_of_cells(float* write, const float* previous, const float* gradient,
                       const float* read, std::size_t cells,
                       const NormGradientConstants& constants) {
  using L = Lanes<block>;
  const Masked<block, kMask> masked(constants);
  const auto factor = L::load(constants.factor);
  const auto offset = L::load(constants.offset);
  const auto slope = L::load(constants.slope);
#pragma GCC ivdep
  for (std::size_t i = 0; i < cells * block; i += block) {
    masked.ask_ahead_of_cell(gradient + i, read + i);
    const auto distance = L::load(read + i) - masked.mean;
    const auto value = masked(gradient + i, distance);
    auto result = factor * (value - offset - distance * slope);
    if (kAdd) result += L::load(previous + i);
    L::store(write + i, result);
  }
}

template <std::size_t block, bool kAdd>
void gradient_plus(float* write, const float* previous, const float* gradient, const float* read,
                   std::size_t cells, bool relu, const NormGradientConstants& constants) {
  if (relu) {
    gradient_of_cells<block, true, kAdd>(write, previous, gradient, read, cells, constants);
  } else {
    gradient_of_cells<block, false, kAdd>(write, previous, gradient, read, cells, constants);
  }
}

template <std::size_t block>
void gradient(float* write, const float* previous, const float* gradient, const float* read,
              std::size_t cells, bool relu, const NormGradientConstants& constants) {
  if (previous != nullptr) {
    gradient_plus<block, true>(write, previous, gradient, read, cells, relu, constants);
  } else {
    gradient_plus<block, false>(write, previous, gradient, read, cells, relu, constants);
  }
}

}  // namespace

extern const BatchNormKernels kBatchNormTables[2];
const BatchNormKernels kBatchNormTables[2] = {
    {moments<8>, normalise<8>, gradient_sums<8>, gradient<8>},
    {moments<16>, normalise<16>, gradient_sums<16>, gradient<16>}};

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
