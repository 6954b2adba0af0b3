#include "plugins/devices/cpu/norms/channels_last_norm.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "plugins/devices/cpu/cache_lines.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Enough stretches for an even distribution over a few threads, but none of less than a few pages.
constexpr std::size_t kMostStretches = 32;
constexpr std::size_t kLeastElements = 16384;
// Distances of all cells are taken to the mean of this many cells. It is close to the mean, which
// avoids cancellation.
constexpr std::size_t kPivotCells = 32;
constexpr std::size_t kConstants = 5;  // arrays of floats in the scratch memory

float float_of(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

// Joins cells with few channels until they fill the kernels' 32 lanes.
ChannelsLast taken_as_one(const ChannelsLast& shape) {
  constexpr std::size_t kLanes = 32, kManyChannels = 128;
  const std::size_t count = kLanes / std::gcd(kLanes, shape.channels);
  if (shape.channels >= kManyChannels || shape.cells % count != 0) return shape;
  return {shape.cells / count, shape.channels * count};
}

const Bf16* at(const Bf16* start, std::size_t offset) {
  return start == nullptr ? nullptr : start + offset;
}

}  // namespace

ChannelsLastNorm::ChannelsLastNorm(const ChannelsLast& shape)
    : shape_(shape),
      taken_(taken_as_one(shape)),
      stretches_(std::clamp<std::size_t>(shape.cells * shape.channels / kLeastElements, 1,
                                         std::min(kMostStretches, taken_.cells))),
      stretch_cells_((taken_.cells + stretches_ - 1) / stretches_) {}

std::size_t ChannelsLastNorm::scratch_bytes() const {
  return whole_lines(stretches_ * 2 * taken_.channels * sizeof(double)) +
         kConstants * whole_lines(taken_.channels * sizeof(float));
}

ChannelsLastNorm::Scratch ChannelsLastNorm::scratch_of(void* memory) const {
  auto* sums = static_cast<double*>(memory);
  auto* constants =
      static_cast<char*>(memory) + whole_lines(stretches_ * 2 * taken_.channels * sizeof(double));
  const auto array = [&](std::size_t index) {
    return reinterpret_cast<float*>(constants +
                                    index * whole_lines(taken_.channels * sizeof(float)));
  };
  return {sums, array(0), array(1), array(2), array(3), array(4)};
}

template <typename Body>
void ChannelsLastNorm::each_stretch(const Body& body) const {
  parallel_indices(stretches_, [&](std::size_t stretch) {
    const std::size_t first = std::min(stretch * stretch_cells_, taken_.cells);
    const std::size_t cells = std::min(stretch_cells_, taken_.cells - first);
    body(stretch, first * taken_.channels, cells);
  });
}

// Adds all stretches to the sums of the first one, and joined cells to the first of them.
void ChannelsLastNorm::add_stretches(const Scratch& scratch) const {
  for (std::size_t stretch = 1; stretch < stretches_; ++stretch) {
    const double* more = sums_of(scratch, stretch);
    for (std::size_t i = 0; i < 2 * taken_.channels; ++i) scratch.sums[i] += more[i];
  }
  for (double* sums : {scratch.sums, scratch.sums + taken_.channels}) {
    for (std::size_t i = shape_.channels; i < taken_.channels; ++i) {
      sums[i % shape_.channels] += sums[i];
    }
  }
}

void ChannelsLastNorm::repeat(float* values) const {
  for (std::size_t i = shape_.channels; i < taken_.channels; ++i) {
    values[i] = values[i - shape_.channels];
  }
}

void ChannelsLastNorm::choose_pivot(const Bf16* read, float* pivot) const {
  const std::size_t cells = std::min(kPivotCells, shape_.cells);
  std::fill_n(pivot, shape_.channels, 0.0f);
  for (std::size_t i = 0; i < cells; ++i) {
    const Bf16* cell = read + i * shape_.cells / cells * shape_.channels;
    for (std::size_t channel = 0; channel < shape_.channels; ++channel) {
      pivot[channel] += float_of(cell[channel]);
    }
  }
  for (std::size_t channel = 0; channel < shape_.channels; ++channel) {
    pivot[channel] /= static_cast<float>(cells);
  }
  repeat(pivot);
}

void ChannelsLastNorm::take_statistics(const NormForward<Bf16>& what,
                                       const Scratch& scratch) const {
  choose_pivot(what.read, scratch.mean);
  each_stretch([&](std::size_t stretch, std::size_t first, std::size_t cells) {
    double* sums = sums_of(scratch, stretch);
    std::fill_n(sums, 2 * taken_.channels, 0.0);
    channels_last_kernels().moments({cells, taken_.channels}, what.read + first, scratch.mean, sums,
                                    sums + taken_.channels);
  });
  add_stretches(scratch);
  const auto cells = static_cast<double>(shape_.cells);
  for (std::size_t channel = 0; channel < shape_.channels; ++channel) {
    const double sum = scratch.sums[channel];
    const double squares = scratch.sums[taken_.channels + channel];
    what.mean[channel] =
        static_cast<float>(static_cast<double>(scratch.mean[channel]) + sum / cells);
    what.variance[channel] = static_cast<float>(std::max(squares - sum * sum / cells, 0.0) / cells);
  }
}

template <typename Pass>
NormConstants ChannelsLastNorm::constants_of(const Pass& what, const Scratch& scratch) const {
  for (std::size_t channel = 0; channel < shape_.channels; ++channel) {
    const double gamma = what.gamma == nullptr ? 1.0 : static_cast<double>(what.gamma[channel]);
    scratch.scale[channel] =
        static_cast<float>(gamma * inverse_deviation(what.variance[channel], what.epsilon));
    scratch.shift[channel] = what.beta == nullptr ? 0.0f : what.beta[channel];
    scratch.mean[channel] = what.mean[channel];
  }
  for (float* values : {scratch.mean, scratch.scale, scratch.shift}) repeat(values);
  const bool bounded = what.relu && what.limit > 0.0;
  return {scratch.mean, scratch.scale, scratch.shift, what.relu ? 0.0f : -kInfinity,
          bounded ? static_cast<float>(what.limit) : kInfinity};
}

void ChannelsLastNorm::forward(const NormForward<Bf16>& what, void* memory) const {
  const Scratch scratch = scratch_of(memory);
  if (!what.statistics_given) take_statistics(what, scratch);
  const NormConstants constants = constants_of(what, scratch);
  each_stretch([&](std::size_t, std::size_t first, std::size_t cells) {
    channels_last_kernels().normalise({cells, taken_.channels}, what.write + first,
                                      what.read + first, at(what.addend, first), constants);
  });
}

// The sums are the gradients of beta and, apart from a factor, of gamma.
void ChannelsLastNorm::take_gradients(const NormBackward<Bf16>& what,
                                      const Scratch& scratch) const {
  const auto cells = static_cast<double>(shape_.cells);
  for (std::size_t channel = 0; channel < shape_.channels; ++channel) {
    const double sum = scratch.sums[channel];
    const double product = scratch.sums[taken_.channels + channel];
    const double inverse = inverse_deviation(what.variance[channel], what.epsilon);
    if (what.beta_gradient != nullptr) what.beta_gradient[channel] = static_cast<float>(sum);
    if (what.gamma_gradient != nullptr) {
      what.gamma_gradient[channel] = static_cast<float>(inverse * product);
    }
    scratch.offset[channel] = static_cast<float>(sum / cells);
    scratch.slope[channel] = static_cast<float>(inverse * inverse * product / cells);
  }
  repeat(scratch.offset);
  repeat(scratch.slope);
}

void ChannelsLastNorm::backward(const NormBackward<Bf16>& what, void* memory) const {
  const Scratch scratch = scratch_of(memory);
  const NormConstants constants = constants_of(what, scratch);
  const bool masks = what.relu && what.output == nullptr;
  each_stretch([&](std::size_t stretch, std::size_t first, std::size_t cells) {
    double* sums = sums_of(scratch, stretch);
    std::fill_n(sums, 2 * taken_.channels, 0.0);
    const JoinedBf16Gradient joined{what.gradient + first, at(what.addend, first),
                                    at(what.output, first)};
    channels_last_kernels().gradient_sums({cells, taken_.channels}, joined, what.read + first,
                                          masks, constants, sums, sums + taken_.channels);
  });
  add_stretches(scratch);
  take_gradients(what, scratch);
  const NormBackwardConstants back{constants, scratch.offset, scratch.slope};
  each_stretch([&](std::size_t, std::size_t first, std::size_t cells) {
    channels_last_kernels().gradient({cells, taken_.channels}, what.write + first,
                                     what.accumulate ? what.write + first : nullptr,
                                     what.gradient + first, what.read + first, masks, back);
  });
}

}  // namespace convoy::cpu
