#include "plugins/devices/cuda/kernels/compression.hpp"
#include "plugins/devices/cuda/kernels/vector_access.cuh"

#include <cstring>

namespace convoy::cuda {
namespace {

constexpr unsigned kLanes = 32;  // threads of a block of elements: the partial sums of its scale
constexpr unsigned kBlocksAtOnce = kThreads / kLanes;
constexpr std::uint32_t kSign = 1;  // convoy_code
constexpr std::uint32_t k4Bits = 4;

struct Magnitudes {
  double sum;
  std::uint32_t nonzero;
  std::uint32_t largest;  // bits
};

__device__ inline float from_bits(std::uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

__device__ inline float most_of(std::uint32_t code) {
  return code == k4Bits ? 7.0f : 127.0f;
}

__device__ inline float scale_of(std::uint32_t code, const Magnitudes& all) {
  if (all.largest >= kInfinite) return from_bits(0x7fc00000u);
  if (code != kSign) return from_bits(all.largest) / most_of(code);
  return all.nonzero == 0 ? 0.0f : static_cast<float>(all.sum / static_cast<double>(all.nonzero));
}

// One row of threads per block of elements; its halves are added up in a fixed order.
__global__ void scale_kernel(Quantised to, const float* from, std::uint64_t blocks) {
  __shared__ Magnitudes parts[kBlocksAtOnce][kLanes];
  const std::uint64_t block = static_cast<std::uint64_t>(blockIdx.x) * kBlocksAtOnce + threadIdx.y;
  const std::uint64_t first = block * to.block;
  const std::uint64_t left = block < blocks ? to.count - first : 0;
  const std::uint64_t size = left < to.block ? left : to.block;
  Magnitudes own{0.0, 0, 0};
  for (std::uint64_t i = threadIdx.x; i < size; i += kLanes) {
    std::uint32_t bits;
    memcpy(&bits, from + first + i, sizeof bits);
    bits &= 0x7fffffffu;
    own.sum += static_cast<double>(from_bits(bits));
    own.nonzero += bits != 0 ? 1u : 0u;
    own.largest = bits > own.largest ? bits : own.largest;
  }
  parts[threadIdx.y][threadIdx.x] = own;
  __syncthreads();
  for (unsigned half = kLanes / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      Magnitudes& mine = parts[threadIdx.y][threadIdx.x];
      const Magnitudes& other = parts[threadIdx.y][threadIdx.x + half];
      mine.sum += other.sum;
      mine.nonzero += other.nonzero;
      mine.largest = other.largest > mine.largest ? other.largest : mine.largest;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0 && block < blocks)
    to.scales[block] = scale_of(to.code, parts[threadIdx.y][0]);
}

__device__ inline int code_of(std::uint32_t code, float scale, float value) {
  if (!(scale > 0.0f)) return 0;
  if (code == kSign) return (value > 0.0f ? 1 : 0) - (value < 0.0f ? 1 : 0);
  const float most = most_of(code);
  const float rounded = rintf(value / scale);
  return static_cast<int>(rounded < -most ? -most : rounded > most ? most : rounded);
}

__device__ inline unsigned per_byte_of(std::uint32_t code) {
  return code == kSign ? 5u : code == k4Bits ? 2u : 1u;
}

// One thread per byte of codes.
__global__ void encode_kernel(Quantised to, const float* from, float* rest, std::uint64_t bytes) {
  const unsigned per_byte = per_byte_of(to.code);
  for (std::uint64_t byte = first_index(); byte < bytes; byte += index_stride()) {
    int packed = 0;
    int digit = 1;
    for (unsigned k = 0; k < per_byte; ++k) {
      const std::uint64_t i = byte * per_byte + k;
      const float scale = i < to.count ? to.scales[i / to.block] : 0.0f;
      const float value = i < to.count ? from[i] : 0.0f;
      const int code = code_of(to.code, scale, value);
      packed += digit * (to.code == kSign ? 1 + code : to.code == k4Bits ? code & 15 : code);
      digit *= to.code == kSign ? 3 : 16;
      if (rest == nullptr || i >= to.count) continue;
      const float left = value - scale * static_cast<float>(code);
      rest[i] = isfinite(left) ? left : 0.0f;
    }
    to.codes[byte] = static_cast<std::uint8_t>(packed);
  }
}

// Returns the code at `digit` in a byte: 1, 3, 9 ... for signs, 1 and 16 for 4 bits.
__device__ inline int decode(std::uint32_t code, unsigned byte, unsigned digit) {
  if (code == kSign) return static_cast<int>(byte / digit % 3) - 1;
  if (code != k4Bits) return static_cast<std::int8_t>(byte);
  const int half = static_cast<int>(byte / digit & 15u);
  return half < 8 ? half : half - 16;
}

__global__ void decode_kernel(Quantised from, std::uint64_t messages, std::uint64_t bytes,
                              std::uint64_t scales, float* write, const float* onto) {
  const unsigned per_byte = per_byte_of(from.code);
  const unsigned base = from.code == kSign ? 3 : 16;
  for (std::uint64_t byte = first_index(); byte < bytes; byte += index_stride()) {
    unsigned digit = 1;
    for (unsigned k = 0; k < per_byte; ++k, digit *= base) {
      const std::uint64_t i = byte * per_byte + k;
      if (i >= from.count) break;
      float total = onto == nullptr ? 0.0f : onto[i];
      for (std::uint64_t m = 0; m < messages; ++m)
        total =
            total + from.scales[m * scales + i / from.block] *
                        static_cast<float>(decode(from.code, from.codes[m * bytes + byte], digit));
      write[i] = total;
    }
  }
}

}  // namespace

void quantise(Stream stream, const Quantised& to, std::uint64_t code_bytes,
              std::uint64_t scale_count, const float* from, float* rest) {
  if (scale_count == 0) return;  // GPUs refuse empty grids
  const auto grid = static_cast<unsigned>((scale_count + kBlocksAtOnce - 1) / kBlocksAtOnce);
  scale_kernel<<<grid, dim3(kLanes, kBlocksAtOnce), 0, stream>>>(to, from, scale_count);
  encode_kernel<<<blocks_for(code_bytes), kThreads, 0, stream>>>(to, from, rest, code_bytes);
}

void dequantise(Stream stream, const Quantised& from, std::uint64_t messages,
                std::uint64_t code_bytes, std::uint64_t scale_count, float* write,
                const float* onto) {
  decode_kernel<<<blocks_for(code_bytes), kThreads, 0, stream>>>(from, messages, code_bytes,
                                                                 scale_count, write, onto);
}

}  // namespace convoy::cuda
