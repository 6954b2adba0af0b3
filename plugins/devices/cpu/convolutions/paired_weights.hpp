#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "plugins/devices/cpu/kernels/bf16.hpp"
#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// Converts weights from float32 blocks of (at least) 16 x 16 to the bf16 blocks of pairs that AMX
// and AVX512_BF16 multiply, such as OIhw16i16o to OhwI16i64o2i, or matrices such as OI16i64o to
// OI16i64o2i. The library reorders them at half of the memory's rate, and filters tap by tap if
// they are turned.
class PairedWeights {
 public:
  // Returns nothing for other layouts. `turned` mirrors the taps of filters: a convolution with the
  // turned filters computes the gradient of the first one's input.
  static std::optional<PairedWeights> between(const Desc& from, const Desc& to,
                                              bool turned = false);

  // Runs on the calling thread's team. Zeroes the padding of the result; the padding of the source
  // is zero.
  void run(const float* from, Bf16* to) const;

 private:
  static constexpr std::size_t kDimensions = 4;
  using Place = std::array<std::size_t, kDimensions>;

  // A blocked layout: for each dimension the size of its blocks (1 without blocks), and the
  // elements between blocks and between the tiles of a block.
  struct Side {
    explicit Side(const BlockedLayout& layout);
    std::size_t offset(const Place& place) const;

    Place padded, block, block_step, tile_step;
  };

  PairedWeights(const BlockedLayout& from, const BlockedLayout& to, bool turned);
  void block(const Place& first, const float* from, Bf16* to) const;
  void tile(const Place& place, const float* from, Bf16* to) const;

  Side from_, to_;
  std::size_t rows_, columns_;  // dimensions of a tile of the source
  std::size_t row_step_, line_step_;
  bool pairs_rows_, turned_;
  // Dimensions from the outermost to the innermost of the source, which is the order of reading.
  Place order_;
};

}  // namespace convoy::cpu
