#include "plugins/devices/cuda/kernels/compression.hpp"
#include "plugins/devices/cuda/kernels/vector_access.cuh"

#include <cstring>

namespace convoy::cuda {
namespace {

__device__ inline std::uint32_t magnitude(float value) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits & 0x7fffffffu;
}

struct Digit {
  std::uint32_t prefix_shift;  // the known digits are above this bit
  std::uint32_t shift;
  std::uint32_t digits;
};

__global__ void begin_kernel(SelectionMemory* memory, std::uint32_t taken) {
  for (std::uint32_t i = threadIdx.x; i < kMostDigits; i += blockDim.x) memory->counts[i] = 0;
  if (threadIdx.x != 0) return;
  memory->limit = 0;
  memory->wanted = taken;
}

__global__ void count_digits_kernel(const float* from, std::uint64_t count, Digit digit,
                                    SelectionMemory* memory) {
  __shared__ std::uint32_t counts[kMostDigits];
  for (std::uint32_t i = threadIdx.x; i < kMostDigits; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  const std::uint32_t known = memory->limit;
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    const std::uint32_t bits = magnitude(from[i]);
    if (bits >> digit.prefix_shift == known)
      atomicAdd(&counts[bits >> digit.shift & (digit.digits - 1)], 1u);
  }
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < digit.digits; i += blockDim.x)
    if (counts[i] > 0) atomicAdd(&memory->counts[i], counts[i]);
}

// Finds the digit of the last element that is taken, from the highest one down: first eight at a
// time.
__global__ void choose_digit_kernel(SelectionMemory* memory, Digit digit) {
  __shared__ std::uint32_t sums[kThreads];
  const std::uint32_t each = digit.digits / kThreads;
  sums[threadIdx.x] = 0;
  for (std::uint32_t i = 0; i < each; ++i)
    sums[threadIdx.x] += memory->counts[threadIdx.x * each + i];
  __syncthreads();
  if (threadIdx.x == 0) {
    std::uint32_t wanted = memory->wanted;
    std::uint32_t group = kThreads - 1;
    for (; group > 0 && sums[group] < wanted; --group) wanted -= sums[group];
    std::uint32_t chosen = group * each + each - 1;
    for (; chosen > group * each && memory->counts[chosen] < wanted; --chosen)
      wanted -= memory->counts[chosen];
    memory->limit = memory->limit * digit.digits + chosen;
    memory->wanted = wanted;
  }
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < kMostDigits; i += blockDim.x) memory->counts[i] = 0;
}

// The elements of one block of threads: all chunks but the last ones are equal.
struct Chunk {
  std::uint64_t first;
  std::uint64_t end;
};

__device__ inline Chunk chunk_of(std::uint64_t count) {
  const std::uint64_t size = (count + gridDim.x - 1) / gridDim.x;
  const std::uint64_t first = size * blockIdx.x < count ? size * blockIdx.x : count;
  const std::uint64_t end = first + size < count ? first + size : count;
  return {first, end};
}

__global__ void count_above_kernel(const float* from, std::uint64_t count,
                                   SelectionMemory* memory) {
  __shared__ std::uint32_t above[kThreads];
  __shared__ std::uint32_t equal[kThreads];
  const Chunk chunk = chunk_of(count);
  std::uint32_t more = 0;
  std::uint32_t same = 0;
  for (std::uint64_t i = chunk.first + threadIdx.x; i < chunk.end; i += blockDim.x) {
    const std::uint32_t bits = magnitude(from[i]);
    more += bits > memory->limit ? 1u : 0u;
    same += bits == memory->limit ? 1u : 0u;
  }
  above[threadIdx.x] = more;
  equal[threadIdx.x] = same;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      above[threadIdx.x] += above[threadIdx.x + half];
      equal[threadIdx.x] += equal[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  memory->above[blockIdx.x] = above[0];
  memory->equal[blockIdx.x] = equal[0];
}

// Replaces each chunk's counts by the sums of the chunks before it.
__global__ void sum_chunks_kernel(SelectionMemory* memory, std::uint32_t chunks) {
  __shared__ std::uint32_t above[kMostChunks];
  __shared__ std::uint32_t equal[kMostChunks];
  for (std::uint32_t i = threadIdx.x; i < chunks; i += blockDim.x) {
    above[i] = memory->above[i];
    equal[i] = memory->equal[i];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    std::uint32_t more = 0;
    std::uint32_t same = 0;
    for (std::uint32_t i = 0; i < chunks; ++i) {
      const std::uint32_t own_more = above[i];
      const std::uint32_t own_same = equal[i];
      above[i] = more;
      equal[i] = same;
      more += own_more;
      same += own_same;
    }
  }
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < chunks; i += blockDim.x) {
    memory->above[i] = above[i];
    memory->equal[i] = equal[i];
  }
}

// Takes elements in order: a block goes through its chunk, one element per thread at a time, and
// counts the elements before each. above and equal share a word of sums.
__global__ void take_kernel(Selection it, const SelectionMemory* memory) {
  __shared__ std::uint32_t sums[2][kThreads];
  const Chunk chunk = chunk_of(it.count);
  std::uint32_t above = memory->above[blockIdx.x];
  std::uint32_t equal = memory->equal[blockIdx.x];
  for (std::uint64_t begin = chunk.first; begin < chunk.end; begin += blockDim.x) {
    const std::uint64_t i = begin + threadIdx.x;
    const float value = i < chunk.end ? it.from[i] : 0.0f;
    const std::uint32_t bits = magnitude(value);
    const bool is_above = i < chunk.end && bits > memory->limit;
    const bool is_equal = i < chunk.end && bits == memory->limit;
    unsigned from = 0;
    sums[from][threadIdx.x] = (is_above ? 1u : 0u) + (is_equal ? 0x10000u : 0u);
    __syncthreads();
    for (unsigned apart = 1; apart < kThreads; apart *= 2) {
      sums[1 - from][threadIdx.x] =
          sums[from][threadIdx.x] + (threadIdx.x >= apart ? sums[from][threadIdx.x - apart] : 0u);
      from = 1 - from;
      __syncthreads();
    }
    const std::uint32_t before = threadIdx.x == 0 ? 0u : sums[from][threadIdx.x - 1];
    const std::uint32_t equal_before = equal + (before >> 16);
    const bool taken = is_above || (is_equal && equal_before < memory->wanted);
    if (taken) {
      const std::uint32_t at = above + (before & 0xffffu) +
                               (equal_before < memory->wanted ? equal_before : memory->wanted);
      it.values[at] = value;
      it.indices[at] = static_cast<std::int32_t>(i);
    }
    if (it.rest != nullptr && i < chunk.end) it.rest[i] = taken || bits >= kInfinite ? 0.0f : value;
    above += sums[from][kThreads - 1] & 0xffffu;
    equal += sums[from][kThreads - 1] >> 16;
    __syncthreads();
  }
}

__global__ void start_sum_kernel(float* write, const float* onto, std::uint64_t count) {
  for (std::uint64_t i = first_index(); i < count; i += index_stride())
    write[i] = onto == nullptr ? 0.0f : onto[i];
}

__global__ void scatter_kernel(float* write, std::uint64_t size, const float* values,
                               const std::int32_t* indices, std::uint64_t count) {
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    const auto at = static_cast<std::uint32_t>(indices[i]);  // a negative one becomes large
    if (at < size) write[at] += values[i];
  }
}

}  // namespace

void top_k(Stream stream, const Selection& what, SelectionMemory* memory) {
  begin_kernel<<<1, kThreads, 0, stream>>>(memory, what.taken);
  std::uint32_t prefix_shift = kMagnitudeBits;
  const unsigned wanted_blocks = blocks_for(what.count / 8);
  const unsigned blocks = wanted_blocks < kMostChunks ? wanted_blocks : kMostChunks;
  for (const std::uint32_t bits : kDigitBits) {
    const Digit digit{prefix_shift, prefix_shift - bits, 1u << bits};
    count_digits_kernel<<<blocks, kThreads, 0, stream>>>(what.from, what.count, digit, memory);
    choose_digit_kernel<<<1, kThreads, 0, stream>>>(memory, digit);
    prefix_shift = digit.shift;
  }
  count_above_kernel<<<blocks, kThreads, 0, stream>>>(what.from, what.count, memory);
  sum_chunks_kernel<<<1, kThreads, 0, stream>>>(memory, blocks);
  take_kernel<<<blocks, kThreads, 0, stream>>>(what, memory);
}

void start_sum(Stream stream, float* write, const float* onto, std::uint64_t count) {
  if (write == onto) return;
  start_sum_kernel<<<blocks_for(count), kThreads, 0, stream>>>(write, onto, count);
}

void scatter(Stream stream, float* write, std::uint64_t size, const float* values,
             const std::int32_t* indices, std::uint64_t count) {
  scatter_kernel<<<blocks_for(count), kThreads, 0, stream>>>(write, size, values, indices, count);
}

}  // namespace convoy::cuda
