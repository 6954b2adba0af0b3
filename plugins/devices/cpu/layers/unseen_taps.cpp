#include "plugins/devices/cpu/layers/unseen_taps.hpp"

#include <algorithm>

#include "plugins/devices/cpu/layers/layer_windows.hpp"

namespace convoy::cpu {
namespace {

using Dim = dnnl::memory::dim;

// The rows of a filter, or its columns.
struct Taps {
  std::size_t count, distance, stride, padding, input, output;

  bool is_seen(std::size_t tap) const {
    for (std::size_t place = 0; place < output; ++place) {
      const std::size_t at = place * stride + tap * distance;
      if (at >= padding && at - padding < input) return true;
    }
    return false;
  }
};

// Returns the number of whole blocks of a dimension.
Dim blocks_of(const BlockedLayout& layout, std::size_t dimension) {
  Dim size = 1;
  for (std::size_t i = 0; i < layout.inner_sizes.size(); ++i)
    if (layout.inner_dimensions[i] == static_cast<Dim>(dimension)) size *= layout.inner_sizes[i];
  return layout.padded[dimension] / size;
}

// Returns where the blocks of all dimensions except the filter's begin.
std::vector<Dim> block_offsets(const BlockedLayout& layout) {
  std::vector<Dim> offsets = {0};
  for (std::size_t dimension = 0; dimension + 2 < layout.padded.size(); ++dimension) {
    std::vector<Dim> longer;
    for (const Dim offset : offsets)
      for (Dim block = 0; block < blocks_of(layout, dimension); ++block)
        longer.push_back(offset + block * layout.strides[dimension]);
    offsets = std::move(longer);
  }
  return offsets;
}

}  // namespace

std::vector<bool> unseen_taps(const convoy_node& node, const convoy_node& input) {
  const PlaneWindows windows = windows_of(node, input);
  const convoy_layer& layer = *node.layer;
  const Taps rows = {windows.kernel_height, std::max(layer.dilation_height, 1u),
                     windows.stride_height, windows.pad_top,
                     windows.in_height,     windows.out_height};
  const Taps columns = {windows.kernel_width, std::max(layer.dilation_width, 1u),
                        windows.stride_width, windows.pad_left,
                        windows.in_width,     windows.out_width};
  std::vector<bool> taps;
  for (std::size_t row = 0; row < rows.count; ++row)
    for (std::size_t column = 0; column < columns.count; ++column)
      taps.push_back(!rows.is_seen(row) || !columns.is_seen(column));
  if (std::ranges::find(taps, true) == taps.end()) taps.clear();
  return taps;
}

void clear_taps(const std::vector<bool>& taps, const BlockedLayout& layout, float* gradient) {
  const std::size_t rank = layout.padded.size();
  const Dim width = layout.padded[rank - 1];
  Dim block = 1;
  for (const Dim size : layout.inner_sizes) block *= size;
  for (const Dim offset : block_offsets(layout))
    for (Dim tap = 0; tap < static_cast<Dim>(taps.size()); ++tap)
      if (taps[static_cast<std::size_t>(tap)])
        std::fill_n(gradient + offset + tap / width * layout.strides[rank - 2] +
                        tap % width * layout.strides[rank - 1],
                    block, 0.0f);
}

}  // namespace convoy::cpu
