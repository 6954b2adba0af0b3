#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/channels_last.hpp"

namespace convoy::cpu {

// An activation as planes: the cells of one block of channels of one image, [cell][channel of the
// block] in f32, as kernels for blocks read and write them. Plane i is block i % blocks of image
// i / blocks.
//
// Activations that are stored as f32 in blocks of channels are planes as they are. Those that are
// stored as bf16 with channels last are converted, plane by plane, in memory of the calling thread.
class Planes {
 public:
  static constexpr std::size_t kBf16Block = 16;

  // f32, planes one behind the other.
  Planes(float* values, std::size_t plane_floats) : floats_(values), plane_floats_(plane_floats) {}
  // bf16; image: cells and channels of one image. scratch: scratch_floats() of it.
  Planes(Bf16* values, const ChannelsLast& image, float* scratch);

  // Floats that a team of `threads` needs to convert planes of such images.
  static std::size_t scratch_floats(const ChannelsLast& image, std::size_t threads) {
    return image.cells * kBf16Block * threads;
  }

  // The values of a plane, until the same thread asks for another one.
  const float* read(std::size_t plane) const;
  // Where to write a plane; it holds what is there only when asked to. To be followed by close().
  float* open(std::size_t plane, bool keeps_values) const;
  void close(std::size_t plane) const;

 private:
  float* own_scratch() const;
  Bf16* image(std::size_t plane) const;
  std::size_t first_channel(std::size_t plane) const { return plane % blocks_ * kBf16Block; }

  float* floats_ = nullptr;  // null: converted
  std::size_t plane_floats_ = 0;
  Bf16* halves_ = nullptr;
  ChannelsLast image_{};
  std::size_t blocks_ = 0;
  float* scratch_ = nullptr;
};

}  // namespace convoy::cpu
