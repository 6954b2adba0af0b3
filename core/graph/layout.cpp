#include "core/graph/layout.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/numbers/fnv.hpp"

namespace convoy::graph {
namespace {

constexpr uint32_t kMaximumRank = 4;

uint64_t block_of(const convoy_layout& layout, uint32_t dimension) {
  uint64_t block = 1;
  for (uint32_t i = 0; i < layout.inner_blocks; ++i) {
    if (layout.inner_dimension[i] == dimension) block *= layout.inner_size[i];
  }
  return block;
}

// Contribution of one dimension's index to the offset. Every block belongs to one dimension, so an
// offset is the sum of these over the dimensions.
uint64_t part(const convoy_layout& layout, uint32_t dimension, uint64_t index) {
  uint64_t offset = 0;
  uint64_t stride = 1;
  for (uint32_t i = layout.inner_blocks; i-- > 0;) {
    if (layout.inner_dimension[i] == dimension) {
      offset += index % layout.inner_size[i] * stride;
      index /= layout.inner_size[i];
    }
    stride *= layout.inner_size[i];
  }
  return offset + index * layout.strides[dimension];
}

// Returns the dimension whose neighbours lie side by side in storage; the last one if there is
// none.
uint32_t neighbouring(const std::array<std::vector<uint64_t>, kMaximumRank>& parts) {
  for (uint32_t d = 0; d < kMaximumRank; ++d)
    if (parts[d].size() > 1 && parts[d][1] == parts[d][0] + 1) return d;
  return kMaximumRank - 1;
}

// Calls visit(plain index, storage offset) for every element. It visits a few neighbours in storage
// one after the other, so that both sides are accessed in whole cache lines.
template <typename Visit>
void for_each_element(const convoy_layout& layout, std::span<const uint64_t> dimensions,
                      Visit visit) {
  constexpr std::size_t kTogether = 16;
  CONVOY_CHECK_EQ(uint64_t{layout.rank}, dimensions.size());
  std::array<std::vector<uint64_t>, kMaximumRank> parts;
  parts.fill({0});
  const uint32_t missing = kMaximumRank - layout.rank;
  for (uint32_t d = 0; d < layout.rank; ++d) {
    std::vector<uint64_t>& offsets = parts[d + missing];
    offsets.resize(dimensions[d]);
    for (uint64_t i = 0; i < dimensions[d]; ++i) offsets[i] = part(layout, d, i);
  }
  std::array<uint64_t, kMaximumRank> plain{};  // strides
  for (uint64_t stride = 1, d = kMaximumRank; d-- > 0; stride *= parts[d].size()) plain[d] = stride;
  const uint32_t inner = neighbouring(parts);
  const uint32_t i = inner == 0 ? 1 : 0, j = inner <= 1 ? 2 : 1, k = inner == 3 ? 2 : 3;
  const std::vector<uint64_t>& side = parts[inner];
  for (std::size_t first = 0; first < side.size(); first += kTogether) {
    const std::size_t last = std::min(side.size(), first + kTogether);
    for (std::size_t a = 0; a < parts[i].size(); ++a)
      for (std::size_t b = 0; b < parts[j].size(); ++b)
        for (std::size_t c = 0; c < parts[k].size(); ++c) {
          const uint64_t from = a * plain[i] + b * plain[j] + c * plain[k];
          const uint64_t to = parts[i][a] + parts[j][b] + parts[k][c];
          for (std::size_t n = first; n < last; ++n) visit(from + n * plain[inner], to + side[n]);
        }
  }
}

std::string dense_problem(const convoy_layout& layout) {
  std::vector<uint32_t> order(layout.rank);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](uint32_t d) { return layout.strides[d]; });
  uint64_t expected = 1;
  for (uint32_t i = 0; i < layout.inner_blocks; ++i) expected *= layout.inner_size[i];
  for (const uint32_t d : order) {
    const uint64_t outer = layout.padded[d] / block_of(layout, d);
    if (outer == 1) continue;
    if (layout.strides[d] != expected)
      return fmt::format("stride {} of dimension {} leaves a gap or overlaps ({} expected)",
                         layout.strides[d], d, expected);
    expected *= outer;
  }
  if (layout.elements != expected)
    return fmt::format("it says {} elements, its padded dimensions have {}", layout.elements,
                       expected);
  return {};
}

}  // namespace

convoy_layout plain_layout(std::span<const uint64_t> dimensions) {
  CONVOY_CHECK(!dimensions.empty() && dimensions.size() <= kMaximumRank);
  convoy_layout layout{};
  layout.rank = static_cast<uint32_t>(dimensions.size());
  layout.elements = 1;
  for (uint32_t d = layout.rank; d-- > 0;) {
    layout.padded[d] = dimensions[d];
    layout.strides[d] = layout.elements;
    layout.elements *= dimensions[d];
  }
  return layout;
}

bool is_plain(const convoy_layout& layout, std::span<const uint64_t> dimensions) {
  return same_layout(layout, plain_layout(dimensions));
}

bool same_layout(const convoy_layout& a, const convoy_layout& b) {
  if (a.rank != b.rank || a.inner_blocks != b.inner_blocks || a.elements != b.elements)
    return false;
  return std::equal(a.padded, a.padded + a.rank, b.padded) &&
         std::equal(a.strides, a.strides + a.rank, b.strides) &&
         std::equal(a.inner_dimension, a.inner_dimension + a.inner_blocks, b.inner_dimension) &&
         std::equal(a.inner_size, a.inner_size + a.inner_blocks, b.inner_size);
}

uint64_t hash_layout(const convoy_layout& layout) {
  Fnv1a64 hash;
  const auto mix = [&hash](uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) hash.add_word(word >> (8 * byte) & 0xff);
  };
  mix(layout.rank);
  mix(layout.inner_blocks);
  mix(layout.elements);
  for (uint32_t d = 0; d < layout.rank; ++d) {
    mix(layout.padded[d]);
    mix(layout.strides[d]);
  }
  for (uint32_t i = 0; i < layout.inner_blocks; ++i) {
    mix(layout.inner_dimension[i]);
    mix(layout.inner_size[i]);
  }
  return hash.value();
}

std::string layout_problem(const convoy_layout& layout, std::span<const uint64_t> dimensions) {
  if (layout.rank != dimensions.size())
    return fmt::format("rank {} for a variable of rank {}", layout.rank, dimensions.size());
  if (layout.inner_blocks > 4)
    return fmt::format("{} inner blocks, at most 4", layout.inner_blocks);
  for (uint32_t i = 0; i < layout.inner_blocks; ++i) {
    if (layout.inner_dimension[i] >= layout.rank || layout.inner_size[i] == 0)
      return fmt::format("inner block {} has size {} of dimension {}", i, layout.inner_size[i],
                         layout.inner_dimension[i]);
  }
  for (uint32_t d = 0; d < layout.rank; ++d) {
    const uint64_t block = block_of(layout, d);
    if (layout.padded[d] < dimensions[d] || layout.padded[d] % block != 0)
      return fmt::format("dimension {} of size {} is padded to {} with inner blocks of {}", d,
                         dimensions[d], layout.padded[d], block);
  }
  return dense_problem(layout);
}

std::pair<uint64_t, uint64_t> stored_matrix(const convoy_layout& layout) {
  std::vector<uint32_t> order(layout.rank);  // the slowest dimension first
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::greater<>(), [&](uint32_t d) { return layout.strides[d]; });
  std::vector<uint64_t> sizes;
  sizes.reserve(order.size());
  for (const uint32_t d : order) sizes.push_back(layout.padded[d] / block_of(layout, d));
  sizes.insert(sizes.end(), layout.inner_size, layout.inner_size + layout.inner_blocks);
  std::pair<uint64_t, uint64_t> best{0, 0};
  uint64_t rows = 1;
  for (const uint64_t size : sizes) {
    rows *= size;
    const uint64_t columns = layout.elements / rows;
    if (rows == 1 || columns == 1) continue;
    if (best.first == 0 || rows + columns < best.first + best.second) best = {rows, columns};
  }
  return best;
}

void pack(const convoy_layout& layout, std::span<const uint64_t> dimensions, const float* plain,
          float* storage) {
  if (is_plain(layout, dimensions)) {
    std::copy_n(plain, layout.elements, storage);
    return;
  }
  const uint64_t elements =
      std::accumulate(dimensions.begin(), dimensions.end(), uint64_t{1}, std::multiplies<>());
  if (elements < layout.elements) std::fill_n(storage, layout.elements, 0.0f);
  for_each_element(layout, dimensions,
                   [&](uint64_t from, uint64_t to) { storage[to] = plain[from]; });
}

void unpack(const convoy_layout& layout, std::span<const uint64_t> dimensions, const float* storage,
            float* plain) {
  if (is_plain(layout, dimensions)) {
    std::copy_n(storage, layout.elements, plain);
    return;
  }
  for_each_element(layout, dimensions,
                   [&](uint64_t to, uint64_t from) { plain[to] = storage[from]; });
}

}  // namespace convoy::graph
