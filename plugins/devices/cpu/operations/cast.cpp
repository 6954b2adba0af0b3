#include "plugins/devices/cpu/operations/operations.hpp"

#include <algorithm>
#include <cstring>

#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

void widen(float* to, const void* from, std::uint32_t dtype, std::size_t first, std::size_t count) {
  if (dtype == CONVOY_F32) {
    std::memcpy(to, static_cast<const float*>(from) + first, count * sizeof(float));
  } else if (dtype == CONVOY_F16) {
    kernels().f16_to_f32(to, static_cast<const std::uint16_t*>(from) + first, count);
  } else {
    kernels().bf16_to_f32(to, static_cast<const std::uint16_t*>(from) + first, count);
  }
}

void narrow(void* to, const float* from, std::uint32_t dtype, std::size_t first,
            std::size_t count) {
  if (dtype == CONVOY_F32) {
    std::memcpy(static_cast<float*>(to) + first, from, count * sizeof(float));
  } else if (dtype == CONVOY_F16) {
    kernels().f32_to_f16(static_cast<std::uint16_t*>(to) + first, from, count);
  } else {
    kernels().f32_to_bf16(static_cast<std::uint16_t*>(to) + first, from, count);
  }
}

}  // namespace

void cast(const convoy_region& read, const convoy_region& write) {
  parallel_stretches(write.count, [&](std::size_t first, std::size_t size) {
    constexpr std::size_t kChunk = 1024;
    alignas(64) float values[kChunk];
    for (std::size_t done = 0; done < size; done += kChunk) {
      const std::size_t part = std::min(kChunk, size - done);
      widen(values, read.data, read.dtype, first + done, part);
      narrow(write.data, values, write.dtype, first + done, part);
    }
  });
}

}  // namespace convoy::cpu
