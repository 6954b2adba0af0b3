#pragma once

#include "plugins/devices/cuda/kernels/channel_rows.cuh"
#include "plugins/devices/cuda/kernels/window.hpp"

// Positions of elements and windows of NHWC images.
namespace convoy::cuda {

// An element of an NHWC tensor.
struct Place {
  std::uint32_t channel, x, y;
  std::uint64_t image;
};

__device__ inline Place place_of(std::uint64_t index, std::uint32_t channels, std::uint32_t width,
                                 std::uint32_t height) {
  Place place;
  place.channel = split(index, channels);
  place.x = split(index, width);
  place.y = split(index, height);
  place.image = index;
  return place;
}

// The first channel of a pack of kPer channels.
template <int kPer>
__device__ inline Place place_of_pack(std::uint64_t pack, std::uint32_t channels,
                                      std::uint32_t width, std::uint32_t height) {
  Place place = place_of(pack, channels / kPer, width, height);
  place.channel *= kPer;
  return place;
}

__device__ inline std::uint64_t input_index(const Windows& s, const Place& p, std::uint32_t y,
                                            std::uint32_t x) {
  return ((p.image * s.in_height + y) * s.in_width + x) * s.channels + p.channel;
}

__device__ inline std::uint64_t output_index(const Windows& s, const Place& p, std::uint32_t y,
                                             std::uint32_t x) {
  return ((p.image * s.out_height + y) * s.out_width + x) * s.channels + p.channel;
}

// Calls use(y, x, cell) for the cells of an output's window that are not padding.
template <typename Use>
__device__ inline void for_cells(const Windows& s, const Place& p, Use&& use) {
  for (std::uint32_t ky = 0; ky < s.kernel_height; ++ky) {
    // a negative value wraps to a large one
    const std::uint32_t y = p.y * s.stride_height + ky - s.pad_top;
    if (y >= s.in_height) continue;
    for (std::uint32_t kx = 0; kx < s.kernel_width; ++kx) {
      const std::uint32_t x = p.x * s.stride_width + kx - s.pad_left;
      if (x < s.in_width) use(y, x, ky * s.kernel_width + kx);
    }
  }
}

// Calls use(y, x, cell) for the outputs whose windows contain an input, as their `cell`.
template <typename Use>
__device__ inline void for_windows(const Windows& s, const Place& p, Use&& use) {
  for (std::uint32_t ky = 0; ky < s.kernel_height; ++ky) {
    const std::uint32_t from_y = p.y + s.pad_top - ky;  // a negative value wraps to a large one
    if (from_y % s.stride_height != 0 || from_y > p.y + s.pad_top) continue;
    const std::uint32_t y = from_y / s.stride_height;
    if (y >= s.out_height) continue;
    for (std::uint32_t kx = 0; kx < s.kernel_width; ++kx) {
      const std::uint32_t from_x = p.x + s.pad_left - kx;
      if (from_x % s.stride_width != 0 || from_x > p.x + s.pad_left) continue;
      const std::uint32_t x = from_x / s.stride_width;
      if (x < s.out_width) use(y, x, ky * s.kernel_width + kx);
    }
  }
}

template <typename T>
T* as(void* pointer) {
  return static_cast<T*>(pointer);
}
template <typename T>
const T* as(const void* pointer) {
  return static_cast<const T*>(pointer);
}

}  // namespace convoy::cuda
