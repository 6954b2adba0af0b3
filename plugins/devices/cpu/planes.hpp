#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/channels_last.hpp"

namespace convoy::cpu {

// An activation as planes: the cells of one block of channels of one image, [cell][channel of the
// block] in f32, the form that kernels for blocks read and write. Plane i is block i % blocks of
// image i / blocks.
//
// f32 activations in blocks of channels are stored as planes. bf16 activations with channels last
// are converted, plane by plane, in memory of the calling thread.
class Planes {
 public:
  static constexpr std::size_t kBf16Block = 16;

  // f32; planes are consecutive.
  Planes(float* values, std::size_t plane_floats) : floats_(values), plane_floats_(plane_floats) {}
  // bf16; image: cells and channels of one image. scratch: scratch_floats() floats.
  Planes(Bf16* values, const ChannelsLast& image, float* scratch);

  // Floats that a team of `threads` needs to convert planes of such images.
  static std::size_t scratch_floats(const ChannelsLast& image, std::size_t threads) {
    return image.cells * kBf16Block * threads;
  }

  // Returns the values of a plane, valid until the same thread reads another one.
  const float* read(std::size_t plane) const;
  // Returns memory for writing a plane; it holds the present values only if requested. Call close()
  // afterwards.
  float* open(std::size_t plane, bool keeps_values) const;
  void close(std::size_t plane) const;

 private:
  float* own_scratch() const;
  Bf16* image(std::size_t plane) const;
  std::size_t first_channel(std::size_t plane) const { return plane % blocks_ * kBf16Block; }

  float* floats_ = nullptr;  // null: the planes are converted
  std::size_t plane_floats_ = 0;
  Bf16* halves_ = nullptr;
  ChannelsLast image_{};
  std::size_t blocks_ = 0;
  float* scratch_ = nullptr;
};

}  // namespace convoy::cpu
