// Compiled once per instruction set, as kernels.cpp is.
#include "plugins/devices/cpu/kernels/channels_last.hpp"

#include "plugins/devices/cpu/kernels/channel_lanes.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

constexpr std::size_t kRun = 256;      // cells that are summed in f32
constexpr std::size_t kTileCells = 4;  // cells that are processed together, vector by vector

// At least the distance of a tile of cells, because its own lines are needed too soon.
inline std::size_t distance_ahead(const ChannelsLast& shape) {
  constexpr std::size_t kLeast = kBytesAhead / sizeof(Bf16);
  const std::size_t tile = kTileCells * shape.channels;
  return tile < kLeast ? kLeast : tile;
}

// Also prefetches the elements at a distance.
struct AheadLanes : PairLanes {
  AheadLanes(std::size_t channels, std::size_t distance) : PairLanes(channels), ahead(distance) {}

  using PairLanes::load;
  Pair load(const Bf16* from) const {
    ask_for(from + ahead);
    return PairLanes::load(from);
  }

  std::size_t ahead;
};

// Calls use(first channel, lanes, first cell, end) for `channels` channels of the cells [first,
// end), a few cells at a time, so that data that depend only on the channels are read once for
// them.
template <typename Use>
inline void each_tile(std::size_t first, std::size_t end, std::size_t channels, std::size_t ahead,
                      const Use& use) {
  for (std::size_t cell = first; cell < end; cell += kTileCells) {
    const std::size_t stop = end - cell < kTileCells ? end : cell + kTileCells;
    for (std::size_t channel = 0; channel < channels; channel += kPairLanes) {
      use(channel, AheadLanes(channels - channel, ahead), cell, stop);
    }
  }
}

// Cells between prefetching a line and using it, if only some channels of each cell are wanted.
constexpr std::size_t kCellsAhead = 128;

void gather(const ChannelsLast& shape, const Bf16* read, std::size_t first_channel, float* write) {
  const Lanes lanes(shape.channels - first_channel);
  const Lanes all(kLanes);
  for (std::size_t cell = 0; cell < shape.cells; ++cell) {
    const Bf16* const channels = read + cell * shape.channels + first_channel;
    ask_for(channels + kCellsAhead * shape.channels);
    all.store(write + cell * kLanes, lanes.load(channels));
  }
}

void scatter(const ChannelsLast& shape, const float* read, std::size_t first_channel, Bf16* write) {
  const Lanes lanes(shape.channels - first_channel);
  const Lanes all(kLanes);
  for (std::size_t cell = 0; cell < shape.cells; ++cell) {
    Bf16* const channels = write + cell * shape.channels + first_channel;
    ask_for(channels + kCellsAhead * shape.channels);
    lanes.store(channels, all.load(read + cell * kLanes));
  }
}

// run: sums of the channels, in pairs of vectors.
void add_to_doubles(std::size_t channels, const float* run, double* total) {
  for (std::size_t i = 0; i < channels; ++i) {
    const std::size_t lane = i / 2 % kLanes + (i % 2) * kLanes;
    total[i] += static_cast<double>(run[i / kPairLanes * kPairLanes + lane]);
  }
}

inline Pair load_sums(const float* from) {
  Pair sums;
  __builtin_memcpy(&sums, from, sizeof sums);
  return sums;
}

// Computes two sums per channel over all cells: in f32 over short runs of cells, which are added in
// double. term(constants(channel, lanes), element, lanes, first sum, second sum) adds the elements
// of a cell.
template <typename Constants, typename Term>
inline void sum_cells(const ChannelsLast& shape, const Constants& constants, const Term& term,
                      double* first_total, double* second_total) {
  constexpr std::size_t kGroup = 1024;  // channels whose sums stay in the first-level cache
  for (std::size_t group = 0; group < shape.channels; group += kGroup) {
    const std::size_t width = shape.channels - group < kGroup ? shape.channels - group : kGroup;
    for (std::size_t run = 0; run < shape.cells; run += kRun) {
      const std::size_t end = shape.cells - run < kRun ? shape.cells : run + kRun;
      alignas(64) float sums[2][kGroup] = {};
      const auto add = [&](std::size_t channel, const AheadLanes& lanes, std::size_t cell,
                           std::size_t stop) {
        const auto own = constants(group + channel, lanes);
        Pair first = load_sums(sums[0] + channel);
        Pair second = load_sums(sums[1] + channel);
        for (; cell < stop; ++cell)
          term(own, cell * shape.channels + group + channel, lanes, first, second);
        __builtin_memcpy(sums[0] + channel, &first, sizeof first);
        __builtin_memcpy(sums[1] + channel, &second, sizeof second);
      };
      each_tile(run, end, width, distance_ahead(shape), add);
      add_to_doubles(width, sums[0], first_total + group);
      add_to_doubles(width, sums[1], second_total + group);
    }
  }
}

void moments(const ChannelsLast& shape, const Bf16* read, const float* pivot, double* sum,
             double* squares) {
  const auto pivots = [&](std::size_t channel, const AheadLanes& lanes) {
    return lanes.load(pivot + channel);
  };
  const auto term = [&](const Pair& own, std::size_t at, const AheadLanes& lanes, Pair& first,
                        Pair& second) {
    const Pair distance = lanes.load(read + at) - own;
    first = first + distance;
    second = second + distance * distance;
  };
  sum_cells(shape, pivots, term, sum, squares);
}

// Calls row(constants(channel, lanes), first element, lanes) for all elements.
template <typename Constants, typename Row>
inline void each_element(const ChannelsLast& shape, const Constants& constants, const Row& row) {
  const auto rows = [&](std::size_t channel, const AheadLanes& lanes, std::size_t cell,
                        std::size_t stop) {
    const auto own = constants(channel, lanes);
    for (; cell < stop; ++cell) row(own, cell * shape.channels + channel, lanes);
  };
  each_tile(0, shape.cells, shape.channels, distance_ahead(shape), rows);
}

// The forward pass for the channels of a vector.
struct Norm {
  Norm(const NormConstants& constants, std::size_t channel, const AheadLanes& lanes)
      : mean(lanes.load(constants.mean + channel)),
        scale(lanes.load(constants.scale + channel)),
        shift(lanes.load(constants.shift + channel)),
        lower(filled(constants.lower)),
        upper(filled(constants.upper)) {}

  // NaN passes through, so that a diverged run is noticed.
  Vector bounded(Vector value) const {
    value = value < lower ? lower : value;
    return value > upper ? upper : value;
  }

  // Returns the gradient of a result, with zeros where the relu clipped. distance: x minus the
  // mean.
  template <bool kMask>
  Pair masked(const Pair& gradient, const Pair& distance) const {
    if constexpr (!kMask) return gradient;
    return cut(gradient, distance * scale + shift);
  }
  // The same, from the result.
  Pair cut(const Pair& gradient, const Pair& result) const {
    return {cut(gradient.even, result.even), cut(gradient.odd, result.odd)};
  }
  Vector cut(Vector gradient, Vector result) const {
    const Vector zero = {};
    return ((result <= zero) | (result >= upper)) ? zero : gradient;
  }

  Pair mean, scale, shift;
  Vector lower, upper;
};

template <bool kAdd>
void normalise_cells(const ChannelsLast& shape, Bf16* write, const Bf16* read, const Bf16* addend,
                     const NormConstants& constants) {
  const auto norms = [&](std::size_t channel, const AheadLanes& lanes) {
    return Norm(constants, channel, lanes);
  };
  each_element(shape, norms, [&](const Norm& norm, std::size_t at, const AheadLanes& lanes) {
    Pair value = (lanes.load(read + at) - norm.mean) * norm.scale + norm.shift;
    if constexpr (kAdd) value = value + lanes.load(addend + at);
    ask_for(write + at + lanes.ahead);
    lanes.store(write + at, {norm.bounded(value.even), norm.bounded(value.odd)});
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

// Returns the prepared gradient of the elements at a position, and writes it back if it changed.
template <bool kAdd, bool kCut>
inline Pair join(const JoinedBf16Gradient& joined_gradient, std::size_t at, const AheadLanes& lanes,
                 const Norm& norm) {
  Pair value = lanes.load(joined_gradient.gradient + at);
  if constexpr (kAdd) value = value + lanes.load(joined_gradient.addend + at);
  if constexpr (kCut) value = norm.cut(value, lanes.load(joined_gradient.output + at));
  if constexpr (!kAdd && !kCut) return value;
  const Words words = joined(value);
  lanes.store_words(joined_gradient.gradient + at, words);
  return parted(words);
}

template <bool kAdd, bool kCut, bool kMask>
void sums_of_gradient(const ChannelsLast& shape, const JoinedBf16Gradient& joined, const Bf16* read,
                      const NormConstants& constants, double* sum, double* product) {
  const auto norms = [&](std::size_t channel, const AheadLanes& lanes) {
    return Norm(constants, channel, lanes);
  };
  const auto term = [&](const Norm& norm, std::size_t at, const AheadLanes& lanes, Pair& first,
                        Pair& second) {
    const Pair distance = lanes.load(read + at) - norm.mean;
    const Pair gradient = join<kAdd, kCut>(joined, at, lanes, norm);
    const Pair value = norm.template masked<kMask>(gradient, distance);
    first = first + value;
    second = second + value * distance;
  };
  sum_cells(shape, norms, term, sum, product);
}

// A relu is undone with the result if it is given, else it is computed again.
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
  BackwardNorm(const NormBackwardConstants& constants, std::size_t channel, const AheadLanes& lanes)
      : forward(constants.forward, channel, lanes),
        offset(lanes.load(constants.offset + channel)),
        slope(lanes.load(constants.slope + channel)) {}

  Norm forward;
  Pair offset, slope;
};

template <bool kMask, bool kAdd>
void gradient_of_cells(const ChannelsLast& shape, Bf16* write, const Bf16* previous,
                       const Bf16* gradient, const Bf16* read,
                       const NormBackwardConstants& constants) {
  const auto norms = [&](std::size_t channel, const AheadLanes& lanes) {
    return BackwardNorm(constants, channel, lanes);
  };
  each_element(
      shape, norms, [&](const BackwardNorm& norm, std::size_t at, const AheadLanes& lanes) {
        const Pair distance = lanes.load(read + at) - norm.forward.mean;
        const Pair value = norm.forward.template masked<kMask>(lanes.load(gradient + at), distance);
        Pair result = norm.forward.scale * (value - norm.offset - distance * norm.slope);
        if constexpr (kAdd) result = result + lanes.load(previous + at);
        ask_for(write + at + lanes.ahead);
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
