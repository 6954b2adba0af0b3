#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/bf16.hpp"

namespace convoy::cpu {

// The sizes of one multiplication, and the contents of one tile register of AMX. It has 16 rows of
// 64 bytes: 16 x 16 floats, 16 rows of 32 pixels (the left factor), or 16 rows of pairs of pixels
// of 16 channels (the right factor).
inline constexpr std::size_t kBf16Block = 16;  // channels
inline constexpr std::size_t kBf16Step = 32;   // pixels
inline constexpr std::size_t kBf16Tile = kBf16Block * kBf16Step;

// Pixels to pack: the address of the channels of each (their number is a multiple of kBf16Step),
// and which blocks of channels are wanted, from a first channel on.
struct Bf16Pixels {
  const Bf16* const* pixels;
  std::size_t steps;
  std::size_t first_channel;
  std::size_t blocks;
};

// The layout of the left factor, as distances in elements between channels, between pairs of pixels
// of one step, between steps and between blocks of channels. The two pixels of a pair are next to
// each other. Tile registers need all pairs of a step next to each other.
struct Bf16Rows {
  std::size_t channel, pair, step, block;
};

// A product that computes gradients between one or two blocks of input and of output channels:
// weights[in][out] += (or =) sum over the pixels of source[in][pixel] * result[pixel][out].
struct Bf16Product {
  const Bf16* source;        // left factor, from any pixel on
  Bf16Rows rows;             // its layout
  const Bf16* result;        // right factor: [block][step][16 pairs of pixels][16 channels][2]
  std::size_t result_block;  // distance to the next block, in elements
  std::size_t steps;
  float* weights;                       // 16 x 16 of the first blocks
  std::size_t weights_in, weights_out;  // distance to the next block, in floats
  std::size_t in_blocks, out_blocks;    // one or two
  bool fresh;                           // true: overwrites the weights; false: adds to them
  // As many pixels as are multiplied. Vectors meanwhile prefetch one cache line of each, from a
  // given channel on, because the following work cannot wait for memory. Null = none.
  const Bf16* const* ahead;
  std::size_t ahead_channel;
};

// How the factors of a product are packed.
struct Bf16Packing {
  // Both pack pixels whose channels are next to each other. pack_rows makes a left factor for tile
  // registers. pack_pairs makes a right factor, or a left one for vectors: [block] [step][16 pairs
  // of pixels][16 channels][2], with `block` elements between blocks.
  void (*pack_rows)(const Bf16Pixels& from, const Bf16Rows& layout, Bf16* to);
  void (*pack_pairs)(const Bf16Pixels& from, std::size_t block, Bf16* to);
  // Makes half a step of one block of the right factor, 8 lines of 16 pairs, from 16 rows of 16
  // consecutive floats. Rounds to the nearest bf16, ties to even.
  void (*round_pairs)(const float* from, std::size_t row_step, Bf16* to);
  // Rounds consecutive floats in the same way and keeps their order.
  void (*round)(const float* from, std::size_t count, Bf16* to);
  // total[16] += (or =) sum over the pixels of one block of the right factor.
  void (*sum)(const Bf16* result, std::size_t steps, float* total, bool fresh);
};

// Products of bf16 values are exact. Sums are in f32, in order of pixels. Subnormal values count as
// zero.
struct Bf16Products {
  // A thread calls multiply() only between begin() and end().
  void (*begin)();
  void (*end)();
  void (*multiply)(const Bf16Product& product);
};

struct Bf16Kernels : Bf16Packing, Bf16Products {
  bool uses_tiles;  // the tile registers of AMX, else vectors of AVX-512
};

// Returns the kernels for AMX, else for AVX512_BF16, else null. The operating system must permit
// AMX, and oneDNN's limit of instruction sets (ONEDNN_MAX_CPU_ISA) also applies here.
const Bf16Kernels* bf16_kernels();

}  // namespace convoy::cpu
