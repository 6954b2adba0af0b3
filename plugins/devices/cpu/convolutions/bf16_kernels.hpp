#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/bf16.hpp"

namespace convoy::cpu {

// What is multiplied at a time, and what one tile register of AMX holds: 16 rows of 64 bytes, so 16
// x 16 floats, 16 rows of 32 pixels (the left factor) or 16 rows of pairs of pixels of 16 channels
// (the right factor).
inline constexpr std::size_t kBf16Block = 16;  // channels
inline constexpr std::size_t kBf16Step = 32;   // pixels
inline constexpr std::size_t kBf16Tile = kBf16Block * kBf16Step;

// Pixels to pack: where the channels of each lie, a multiple of kBf16Step of them, of which blocks
// of channels from a first channel on are wanted.
struct Bf16Pixels {
  const Bf16* const* pixels;
  std::size_t steps;
  std::size_t first_channel;
  std::size_t blocks;
};

// Where the left factor lies, as distances in elements between channels, between pairs of pixels of
// one step, between steps and between blocks of channels. The two pixels of a pair lie side by
// side; tile registers want all pairs of a step so.
struct Bf16Rows {
  std::size_t channel, pair, step, block;
};

// Gradients between one or two blocks of input and of output channels: weights[in][out] += (or =)
// sum over the pixels of source[in][pixel] * result[pixel][out].
struct Bf16Product {
  const Bf16* source;        // left factor, at any pixel
  Bf16Rows rows;             // its layout
  const Bf16* result;        // right factor: [block][step][16 pairs of pixels][16 channels][2]
  std::size_t result_block;  // distance of the next block, in elements
  std::size_t steps;
  float* weights;                       // 16 x 16 of the first blocks
  std::size_t weights_in, weights_out;  // distances of the next block, in floats
  std::size_t in_blocks, out_blocks;    // one or two
  bool fresh;                           // weights are overwritten, not added to
  // Pixels, as many as are multiplied, whose line of the cache from a channel on vectors ask for
  // meanwhile: memory is slower than what follows can wait for. Null = none.
  const Bf16* const* ahead;
  std::size_t ahead_channel;
};

// How the factors of a product are packed.
struct Bf16Packing {
  // Both out of pixels whose channels lie side by side. A left factor for tile registers, and
  // [block] [step][16 pairs of pixels][16 channels][2] with so many elements between blocks: a
  // right factor, and a left one for vectors.
  void (*pack_rows)(const Bf16Pixels& from, const Bf16Rows& layout, Bf16* to);
  void (*pack_pairs)(const Bf16Pixels& from, std::size_t block, Bf16* to);
  // Half a step of one block of the right factor, 8 lines of 16 pairs, out of 16 rows of 16
  // neighbouring floats. Rounded to the nearest bf16, ties to even.
  void (*round_pairs)(const float* from, std::size_t row_step, Bf16* to);
  // The same rounding of neighbours, which stay in their order.
  void (*round)(const float* from, std::size_t count, Bf16* to);
  // total[16] += (or =) sum over the pixels of one block of the right factor.
  void (*sum)(const Bf16* result, std::size_t steps, float* total, bool fresh);
};

// Products of bf16 values are exact, sums are in order of pixels in f32; subnormal values count as
// zero.
struct Bf16Products {
  // A thread calls multiply() only between these two.
  void (*begin)();
  void (*end)();
  void (*multiply)(const Bf16Product& product);
};

struct Bf16Kernels : Bf16Packing, Bf16Products {
  bool uses_tiles;  // the tile registers of AMX, else vectors of AVX-512
};

// By AMX, else by AVX512_BF16, else null. The operating system must permit AMX, and oneDNN's limit
// of instruction sets (ONEDNN_MAX_CPU_ISA) holds here, too.
const Bf16Kernels* bf16_kernels();

}  // namespace convoy::cpu
