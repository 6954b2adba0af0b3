// This file is compiled once per instruction set, like kernels.cpp. The loops have no branches and
// no calls, so that the compiler vectorises them.
#include "core/data/augment/kernels/table.hpp"

namespace convoy::data::CONVOY_KERNEL_SET {
namespace {

constexpr std::size_t kLanes = 16;  // partial sums, so that additions do not wait for each other

inline float least(float a, float b) {
  return a < b ? a : b;
}
inline float most(float a, float b) {
  return a > b ? a : b;
}
inline float limited(float value) {
  return least(most(value, 0.0f), 1.0f);
}
inline float size_of(float value) {
  return most(value, -value);
}

// Returns a channel of the colour with this hue (0 .. 6, red is 0), between the extremes.
inline float channel_of(float hue, float centre, float lowest, float range) {
  const float away = size_of(hue - centre);
  return lowest + limited(2.0f - least(away, 6.0f - away)) * range;
}

// Sums at most 4096 values in 32 bits (the error is below that of 8-bit pixels), then adds these
// sums in 64 bits.
double sum_plane(const float* plane, std::size_t count) {
  constexpr std::size_t kBlock = 4096;
  double total = 0;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t end = count - begin < kBlock ? count : begin + kBlock;
    float lanes[kLanes] = {};
    std::size_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += plane[i + lane];
    }
    for (; i < end; ++i) lanes[i % kLanes] += plane[i];
    for (const float lane : lanes) total += double{lane};
  }
  return total;
}

}  // namespace

void sum(const ColorPlanes& planes, double* sums) {
  sums[0] = sum_plane(planes.red, planes.count);
  sums[1] = sum_plane(planes.green, planes.count);
  sums[2] = sum_plane(planes.blue, planes.count);
}

void change_hsv(const ColorPlanes& planes, const HsvChange& change) {
  float* __restrict reds = planes.red;
  float* __restrict greens = planes.green;
  float* __restrict blues = planes.blue;
  const HsvChange by = change;
  for (std::size_t i = 0; i < planes.count; ++i) {
    const float red = reds[i] + by.brightness;
    const float green = greens[i] + by.brightness;
    const float blue = blues[i] + by.brightness;
    const float highest = most(most(red, green), blue);
    const float range = highest - least(least(red, green), blue);
    const float inverse = 1.0f / (range > 0 ? range : 1.0f);
    const float if_red = (green - blue) * inverse;
    const float if_green = (blue - red) * inverse + 2.0f;
    const float if_blue = (red - green) * inverse + 4.0f;
    const float not_red = green == highest ? if_green : if_blue;
    float hue = (red == highest ? if_red : not_red) + by.turn;
    hue = hue < 0 ? hue + 6.0f : hue;
    hue = hue >= 6.0f ? hue - 6.0f : hue;
    const float saturation = highest > 0 ? range / (highest > 0 ? highest : 1.0f) : 0.0f;
    const float new_range = limited(saturation * by.saturation) * most(highest, 0.0f);
    const float lowest = highest - new_range;
    reds[i] = channel_of(hue, 0, lowest, new_range);
    greens[i] = channel_of(hue, 2, lowest, new_range);
    blues[i] = channel_of(hue, 4, lowest, new_range);
  }
}

void multiply(const ColorPlanes& planes, const float* matrix, float offset) {
  float* __restrict reds = planes.red;
  float* __restrict greens = planes.green;
  float* __restrict blues = planes.blue;
  float m[9];
  for (int i = 0; i < 9; ++i) m[i] = matrix[i];
  for (std::size_t i = 0; i < planes.count; ++i) {
    const float red = reds[i] + offset, green = greens[i] + offset, blue = blues[i] + offset;
    reds[i] = m[0] * red + m[1] * green + m[2] * blue;
    greens[i] = m[3] * red + m[4] * green + m[5] * blue;
    blues[i] = m[6] * red + m[7] * green + m[8] * blue;
  }
}

void scale(const ColorPlanes& planes, const ChannelChange& change) {
  float* const all[] = {planes.red, planes.green, planes.blue};
  for (int channel = 0; channel < 3; ++channel) {
    float* plane = all[channel];
    const float factor = change.factor, offset = change.offset[channel];
    for (std::size_t i = 0; i < planes.count; ++i) plane[i] = plane[i] * factor + offset;
  }
}

void finish(const ColorPlanes& planes, const ChannelChange& change) {
  float* const all[] = {planes.red, planes.green, planes.blue};
  for (int channel = 0; channel < 3; ++channel) {
    float* plane = all[channel];
    const float factor = change.factor, offset = change.offset[channel];
    for (std::size_t i = 0; i < planes.count; ++i) {
      plane[i] = limited(plane[i] * factor + offset) * 2.0f - 1.0f;
    }
  }
}

}  // namespace convoy::data::CONVOY_KERNEL_SET
