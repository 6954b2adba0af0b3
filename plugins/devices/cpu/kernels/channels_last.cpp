// Compiled once per instruction set, as kernels.cpp is.
#include "plugins/devices/cpu/kernels/channels_last.hpp"

#include "plugins/devices/cpu/kernels/channel_lanes.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

constexpr std::size_t kRows = 8;   // cells whose sums are taken together, to load sums less often
constexpr std::size_t kRun = 256;  // cells that are summed in f32

void gather(const ChannelsLast& shape, const Bf16* read, std::size_t first_channel, float* write) {
  const Lanes lanes(shape.channels - first_channel);
  const Lanes all(kLanes);
  for (std::size_t cell = 0; cell < shape.cells; ++cell) {
    all.store(write + cell * kLanes, lanes.load(read + cell * shape.channels + first_channel));
  }
}

void scatter(const ChannelsLast& shape, const float* read, std::size_t first_channel, Bf16* write) {
  const Lanes lanes(shape.channels - first_channel);
  const Lanes all(kLanes);
  for (std::size_t cell = 0; cell < shape.cells; ++cell) {
    lanes.store(write + cell * shape.channels + first_channel, all.load(read + cell * kLanes));
  }
}

void add_to_doubles(std::size_t channels, const float* run, double* total) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < channels; ++i) total[i] += static_cast<double>(run[i]);
}

// Two sums per channel over all cells: in f32 over short runs of cells, which are added in double.
// term(first channel, lanes) prepares a function (cell, first sum, second sum) that adds a cell.
template <typename Term>
inline void sum_cells(const ChannelsLast& shape, const Term& term, double* first_total,
                      double* second_total) {
  constexpr std::size_t kGroup = 1024;  // channels whose sums stay in the first-level cache
  const Lanes all(kLanes);
  for (std::size_t group = 0; group < shape.channels; group += kGroup) {
    const std::size_t width = shape.channels - group < kGroup ? shape.channels - group : kGroup;
    for (std::size_t run = 0; run < shape.cells; run += kRun) {
      const std::size_t end = shape.cells - run < kRun ? shape.cells : run + kRun;
      alignas(64) float sums[2][kGroup] = {};
      for (std::size_t cell = run; cell < end; cell += kRows) {
        const std::size_t stop = end - cell < kRows ? end : cell + kRows;
        each_vector(width, [&](std::size_t channel, const Lanes& lanes) {
          Vector first = all.load(sums[0] + channel);
          Vector second = all.load(sums[1] + channel);
          const auto add = term(group + channel, lanes);
          for (std::size_t i = cell; i < stop; ++i) add(i, first, second);
          all.store(sums[0] + channel, first);
          all.store(sums[1] + channel, second);
        });
      }
      add_to_doubles(width, sums[0], first_total + group);
      add_to_doubles(width, sums[1], second_total + group);
    }
  }
}

void moments(const ChannelsLast& shape, const Bf16* read, const float* pivot, double* sum,
             double* squares) {
  const auto term = [&](std::size_t channel, const Lanes& lanes) {
    return [=, &shape, centre = lanes.load(pivot + channel)](std::size_t cell, Vector& first,
                                                             Vector& second) {
      const Vector distance = lanes.load(read + cell * shape.channels + channel) - centre;
      first += distance;
      second += distance * distance;
    };
  };
  sum_cells(shape, term, sum, squares);
}

// Calls row(cell, first channel, lanes, constants) for all elements, a few cells at a time, so that
// constants(first channel, lanes) are loaded less often.
template <typename Constants, typename Row>
inline void each_element(const ChannelsLast& shape, const Constants& constants, const Row& row) {
  for (std::size_t cell = 0; cell < shape.cells; cell += kRows) {
    const std::size_t stop = shape.cells - cell < kRows ? shape.cells : cell + kRows;
    each_vector(shape.channels, [&](std::size_t channel, const Lanes& lanes) {
      const auto loaded = constants(channel, lanes);
#pragma GCC ivdep
      for (std::size_t i = cell; i < stop; ++i) row(i * shape.channels + channel, lanes, loaded);
    });
  }
}

// What the forward pass computes of the channels of a vector.
struct Norm {
  Norm(const NormConstants& constants, std::size_t channel, const Lanes& lanes)
      : mean(lanes.load(constants.mean + channel)),
        scale(lanes.load(constants.scale + channel)),
        shift(lanes.load(constants.shift + channel)),
        lower(filled(constants.lower)),
        upper(filled(constants.upper)) {}

  // The gradient of a result, zero where the relu cut it off. distance: of its x to the mean.
  template <bool kMask>
  Vector masked(Vector gradient, Vector distance) const {
    if constexpr (!kMask) return gradient;
    const Vector zero = {};
    const Vector result = distance * scale + shift;
    const auto cut = (result <= zero) | (result >= upper);
    return cut ? zero : gradient;
  }

  Vector mean, scale, shift, lower, upper;
};

// Not-a-number passes the bounds, so that a diverged run is seen.
template <bool kAdd>
void normalise_cells(const ChannelsLast& shape, Bf16* write, const Bf16* read, const Bf16* addend,
                     const NormConstants& constants) {
  const auto load = [&](std::size_t channel, const Lanes& lanes) {
    return Norm(constants, channel, lanes);
  };
  each_element(shape, load, [&](std::size_t at, const Lanes& lanes, const Norm& norm) {
    Vector value = (lanes.load(read + at) - norm.mean) * norm.scale + norm.shift;
    if constexpr (kAdd) value += lanes.load(addend + at);
    value = value < norm.lower ? norm.lower : value;
    lanes.store(write + at, value > norm.upper ? norm.upper : value);
  });
}

void normalise(const ChannelsLast& shape, Bf16* write, const Bf16* read, const Bf16* addend,
               const NormConstants& constants) {
  if (addend == nullptr) {
    normalise_cells<false>(shape, write, read, addend, constants);
  } else {
    normalise_cells<true>(shape, write, read, addend, constants);
  }
}

// The joined gradient of the elements at a place, written back where it changed.
template <bool kAdd, bool kCut>
inline Vector join(const JoinedBf16Gradient& joined, std::size_t at, const Lanes& lanes,
                   Vector upper) {
  Vector value = lanes.load(joined.gradient + at);
  if constexpr (kAdd) value += lanes.load(joined.addend + at);
  if constexpr (kCut) {
    const Vector zero = {};
    const Vector output = lanes.load(joined.output + at);
    value = (output <= zero) | (output >= upper) ? zero : value;
  }
  if constexpr (!kAdd && !kCut) return value;
  lanes.store(joined.gradient + at, value);
  return widened(narrowed(value));
}

template <bool kAdd, bool kCut, bool kMask>
void sums_of_gradient(const ChannelsLast& shape, const JoinedBf16Gradient& joined, const Bf16* read,
                      const NormConstants& constants, double* sum, double* product) {
  const auto term = [&](std::size_t channel, const Lanes& lanes) {
    return [=, &shape, norm = Norm(constants, channel, lanes)](std::size_t cell, Vector& first,
                                                               Vector& second) {
      const std::size_t at = cell * shape.channels + channel;
      const Vector distance = lanes.load(read + at) - norm.mean;
      const Vector gradient = join<kAdd, kCut>(joined, at, lanes, norm.upper);
      const Vector value = norm.template masked<kMask>(gradient, distance);
      first += value;
      second += value * distance;
    };
  };
  sum_cells(shape, term, sum, product);
}

// A relu is undone by the result where that is given, else by computing it once more.
template <bool kAdd>
void sums_of_sum(const ChannelsLast& shape, const JoinedBf16Gradient& joined, const Bf16* read,
                 bool relu, const NormConstants& constants, double* sum, double* product) {
  if (joined.output != nullptr) {
    sums_of_gradient<kAdd, true, false>(shape, joined, read, constants, sum, product);
  } else if (relu) {
    sums_of_gradient<kAdd, false, true>(shape, joined, read, constants, sum, product);
  } else {
    sums_of_gradient<kAdd, false, false>(shape, joined, read, constants, sum, product);
  }
}

void gradient_sums(const ChannelsLast& shape, const JoinedBf16Gradient& joined, const Bf16* read,
                   bool relu, const NormConstants& constants, double* sum, double* product) {
  if (joined.addend != nullptr) {
    sums_of_sum<true>(shape, joined, read, relu, constants, sum, product);
  } else {
    sums_of_sum<false>(shape, joined, read, relu, constants, sum, product);
  }
}

struct BackwardNorm {
  BackwardNorm(const NormBackwardConstants& constants, std::size_t channel, const Lanes& lanes)
      : forward(constants.forward, channel, lanes),
        offset(lanes.load(constants.offset + channel)),
        slope(lanes.load(constants.slope + channel)) {}

  Norm forward;
  Vector offset, slope;
};

template <bool kMask, bool kAdd>
void gradient_of_cells(const ChannelsLast& shape, Bf16* write, const Bf16* previous,
                       const Bf16* gradient, const Bf16* read,
                       const NormBackwardConstants& constants) {
  const auto load = [&](std::size_t channel, const Lanes& lanes) {
    return BackwardNorm(constants, channel, lanes);
  };
  each_element(shape, load, [&](std::size_t at, const Lanes& lanes, const BackwardNorm& norm) {
    const Vector distance = lanes.load(read + at) - norm.forward.mean;
    const Vector value = norm.forward.template masked<kMask>(lanes.load(gradient + at), distance);
    Vector result = norm.forward.scale * (value - norm.offset - distance * norm.slope);
    if constexpr (kAdd) result += lanes.load(previous + at);
    lanes.store(write + at, result);
  });
}

template <bool kMask>
void gradient_plus(const ChannelsLast& shape, Bf16* write, const Bf16* previous,
                   const Bf16* gradient, const Bf16* read, const NormBackwardConstants& constants) {
  if (previous != nullptr) {
    gradient_of_cells<kMask, true>(shape, write, previous, gradient, read, constants);
  } else {
    gradient_of_cells<kMask, false>(shape, write, previous, gradient, read, constants);
  }
}

void gradient(const ChannelsLast& shape, Bf16* write, const Bf16* previous, const Bf16* gradient,
              const Bf16* read, bool relu, const NormBackwardConstants& constants) {
  if (relu) {
    gradient_plus<true>(shape, write, previous, gradient, read, constants);
  } else {
    gradient_plus<false>(shape, write, previous, gradient, read, constants);
  }
}

}  // namespace

extern const ChannelsLastKernels kChannelsLast;
const ChannelsLastKernels kChannelsLast = {gather,    scatter,       moments,
                                           normalise, gradient_sums, gradient};

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
