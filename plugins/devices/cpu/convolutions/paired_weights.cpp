#include "plugins/devices/cpu/convolutions/paired_weights.hpp"

#include <algorithm>
#include <numeric>

#include "plugins/devices/cpu/kernels/paired_weights.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kFirstTap = 2;  // dimensions 2 and 3 are the filter's taps
using Dims = std::vector<dnnl::memory::dim>;

std::size_t size(dnnl::memory::dim value) {
  return static_cast<std::size_t>(value);
}

bool whole_tiles(dnnl::memory::dim block) {
  return block % static_cast<dnnl::memory::dim>(kWeightTile) == 0;
}

// Whether output and input channels are in blocks, such as 16i16o.
bool has_tiles(const BlockedLayout& layout) {
  const Dims& inner = layout.inner_dimensions;
  return (inner == Dims{0, 1} || inner == Dims{1, 0}) && whole_tiles(layout.inner_sizes[0]) &&
         whole_tiles(layout.inner_sizes[1]);
}

// Whether they are in blocks with pairs of one of them, such as 16i64o2i.
bool has_pairs(const BlockedLayout& layout) {
  const Dims& inner = layout.inner_dimensions;
  return (inner == Dims{0, 1, 0} || inner == Dims{1, 0, 1}) && layout.inner_sizes[2] == 2 &&
         whole_tiles(2 * layout.inner_sizes[0]) && whole_tiles(layout.inner_sizes[1]);
}

// Adds dimensions for taps: a matrix is a filter of one tap.
BlockedLayout with_taps(BlockedLayout layout, std::size_t dimensions) {
  layout.padded.resize(dimensions, 1);
  layout.strides.resize(dimensions, 1);
  return layout;
}

}  // namespace

PairedWeights::Side::Side(const BlockedLayout& layout) {
  block.fill(1);
  tile_step.fill(0);  // for dimensions without blocks
  for (std::size_t i = 0; i < kDimensions; ++i) {
    padded[i] = size(layout.padded[i]);
    block_step[i] = size(layout.strides[i]);
  }
  std::size_t step = 1;
  for (std::size_t i = layout.inner_sizes.size(); i-- > 0;) {
    const std::size_t dimension = size(layout.inner_dimensions[i]);
    // The number of tiles in a block follows from the part of the block that is not in an inner
    // block.
    tile_step[dimension] = kWeightTile / block[dimension] * step;
    block[dimension] *= size(layout.inner_sizes[i]);
    step *= size(layout.inner_sizes[i]);
  }
}

std::size_t PairedWeights::Side::offset(const Place& place) const {
  std::size_t elements = 0;
  for (std::size_t i = 0; i < kDimensions; ++i) {
    elements +=
        place[i] / block[i] * block_step[i] + place[i] % block[i] / kWeightTile * tile_step[i];
  }
  return elements;
}

std::optional<PairedWeights> PairedWeights::between(const Desc& from, const Desc& to, bool turned) {
  if (type_of(from) != dnnl::memory::data_type::f32 || type_of(to) != dnnl::memory::data_type::bf16)
    return std::nullopt;
  const std::optional<BlockedLayout> source = blocked_layout(from);
  const std::optional<BlockedLayout> result = blocked_layout(to);
  if (!source || !result || dims_of(from) != dims_of(to)) return std::nullopt;
  const std::size_t rank = source->padded.size();
  if ((rank != kFirstTap && rank != kDimensions) || !has_tiles(*source) || !has_pairs(*result)) {
    return std::nullopt;
  }
  return PairedWeights(with_taps(*source, kDimensions), with_taps(*result, kDimensions), turned);
}

PairedWeights::PairedWeights(const BlockedLayout& from, const BlockedLayout& to, bool turned)
    : from_(from),
      to_(to),
      rows_(size(from.inner_dimensions[0])),
      columns_(size(from.inner_dimensions[1])),
      row_step_(size(from.inner_sizes[1])),
      line_step_(2 * size(to.inner_sizes[1])),
      pairs_rows_(size(to.inner_dimensions[2]) == rows_),
      turned_(turned) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) {
    return from_.block_step[a] > from_.block_step[b];
  });
}

void PairedWeights::run(const float* from, Bf16* to) const {
  std::size_t blocks = 1;
  for (std::size_t i = 0; i < kDimensions; ++i) blocks *= to_.padded[i] / to_.block[i];
  parallel_indices(blocks, [&](std::size_t index) {
    Place first{};
    for (std::size_t i = kDimensions; i-- > 0;) {
      const std::size_t dimension = order_[i];
      const std::size_t count = to_.padded[dimension] / to_.block[dimension];
      first[dimension] = index % count * to_.block[dimension];
      index /= count;
    }
    block(first, from, to);
  });
}

void PairedWeights::block(const Place& first, const float* from, Bf16* to) const {
  Place place = first;
  for (std::size_t row = 0; row < to_.block[rows_]; row += kWeightTile) {
    place[rows_] = first[rows_] + row;
    for (std::size_t column = 0; column < to_.block[columns_]; column += kWeightTile) {
      place[columns_] = first[columns_] + column;
      tile(place, from, to);
    }
  }
}

void PairedWeights::tile(const Place& place, const float* from, Bf16* to) const {
  Bf16* const lines = to + to_.offset(place);
  if (place[rows_] >= from_.padded[rows_] || place[columns_] >= from_.padded[columns_]) {
    for (std::size_t line = 0; line < kWeightTile / 2; ++line) {
      std::fill_n(lines + line * line_step_, 2 * kWeightTile, Bf16{0});
    }
    return;
  }
  Place source = place;
  for (std::size_t i = kFirstTap; turned_ && i < kDimensions; ++i) {
    source[i] = from_.padded[i] - 1 - place[i];
  }
  const PairedWeightsKernels& kernels = paired_weights_kernels();
  const auto convert = pairs_rows_ ? kernels.pair_rows : kernels.pair_columns;
  convert(from + from_.offset(source), row_step_, lines, line_step_);
}

}  // namespace convoy::cpu
