#pragma once

#include "plugins/devices/cuda/kernels/vector_access.cuh"

// How kernels that reduce over rows of channels divide their work, and their accesses to
// neighbouring channels.
namespace convoy::cuda {

constexpr std::uint32_t kMostChunks = 512;  // partial sums per channel
// More blocks of threads than fill the largest GPU (132 multiprocessors) with 8 each.
constexpr std::uint32_t kEnoughBlocks = 132 * 16;

// The division of a reduction over rows: a block is `lanes` threads wide. Each thread takes `per`
// neighbouring channels of every (kThreads / lanes)-th row of its chunk.
struct Cut {
  std::uint32_t lanes, tiles, chunks;
  std::uint64_t rows_per_chunk;
};

template <typename T>
bool packs_fit(std::uint32_t channels) {
  return channels % kPerAccess<T> == 0;
}

// rows_per_thread: the least number of rows of a thread, if possible; most_chunks: the most chunks.
inline Cut cut_rows(std::uint64_t rows, std::uint32_t channels, int per,
                    std::uint64_t rows_per_thread, std::uint32_t most_chunks) {
  Cut cut{};
  const std::uint32_t groups = (channels + per - 1) / per;
  cut.lanes = 32;
  while (cut.lanes > 1 && cut.lanes / 2 >= groups) cut.lanes /= 2;
  cut.tiles = (groups + cut.lanes - 1) / cut.lanes;
  const std::uint64_t rows_at_once = kThreads / cut.lanes;
  std::uint64_t chunks = rows / (rows_at_once * rows_per_thread);
  const std::uint64_t enough = kEnoughBlocks / cut.tiles + 1;
  const std::uint64_t most = most_chunks < enough ? most_chunks : enough;
  chunks = chunks < 1 ? 1 : chunks > most ? most : chunks;
  cut.rows_per_chunk = (rows + chunks - 1) / chunks;
  cut.chunks = static_cast<std::uint32_t>((rows + cut.rows_per_chunk - 1) / cut.rows_per_chunk);
  return cut;
}

// The divisions for sums over rows, and for work on each row.
inline Cut cut_for_sums(std::uint64_t rows, std::uint32_t channels, int per) {
  return cut_rows(rows, channels, per, 8, kMostChunks);
}
inline Cut cut_for_rows(std::uint64_t rows, std::uint32_t channels, int per) {
  return cut_rows(rows, channels, per, 4, kEnoughBlocks);
}
inline dim3 grid_of(const Cut& cut) {
  return dim3(cut.tiles, cut.chunks);
}
inline dim3 block_of(const Cut& cut) {
  return dim3(cut.lanes, kThreads / cut.lanes);
}

template <int kValue>
struct Constant {
  static constexpr int value = kValue;
};

// Calls body with a value of the type and, as a Constant, the number of channels per thread.
template <typename Body>
void with_packs(Type type, std::uint32_t channels, Body&& body) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    if (packs_fit<T>(channels))
      body(zero, Constant<kPerAccess<T>>{});
    else
      body(zero, Constant<1>{});
  });
}

// The part of a thread in a kernel over rows: kPer channels of every stride-th row of its chunk.
struct Walk {
  std::uint32_t channel;
  std::uint64_t row, end, stride;
};

template <int kPer>
__device__ inline Walk walk_of(std::uint64_t rows, std::uint64_t rows_per_chunk) {
  const std::uint64_t begin = blockIdx.y * rows_per_chunk;
  const std::uint64_t end = begin + rows_per_chunk < rows ? begin + rows_per_chunk : rows;
  return {(blockIdx.x * blockDim.x + threadIdx.x) * kPer, begin + threadIdx.y, end, blockDim.y};
}

// Neighbouring channels of one row, as in memory.
template <typename T, int kPer>
struct alignas(sizeof(T) * kPer) Channels {
  T values[kPer];
};

template <int kPer, typename T>
__device__ inline Channels<T, kPer> fetch(const T* from) {
  return *reinterpret_cast<const Channels<T, kPer>*>(from);
}

template <typename T, int kPer>
__device__ inline void load(float (&values)[kPer], const T* from) {
  const Channels<T, kPer> pack = fetch<kPer>(from);
  for (int k = 0; k < kPer; ++k) values[k] = to_float(pack.values[k]);
}

template <typename T, int kPer>
__device__ inline void store(T* to, const float (&values)[kPer]) {
  Channels<T, kPer> pack;
  for (int k = 0; k < kPer; ++k) pack.values[k] = from_float<T>(values[k]);
  *reinterpret_cast<Channels<T, kPer>*>(to) = pack;
}

// Kernels that finish sums have blocks of this many channels, each with a column of threads.
constexpr std::uint32_t kFinishChannels = 16;
constexpr std::uint32_t kFinishRows = kThreads / kFinishChannels;

inline unsigned finish_blocks(std::uint32_t channels) {
  return (channels + kFinishChannels - 1) / kFinishChannels;
}
inline dim3 finish_threads() {
  return dim3(kFinishChannels, kFinishRows);
}

// Adds the partial sums partial[chunk][channel][value] of a channel over all chunks. The channel's
// column of threads does so in a fixed order; all threads of the block must call it.
template <int kValues>
__device__ inline void over_chunks(double (&total)[kValues], const double* partial,
                                   std::uint32_t chunks, std::uint32_t channel,
                                   std::uint32_t channels) {
  __shared__ double sums[kValues][kFinishRows][kFinishChannels];
  for (int k = 0; k < kValues; ++k) total[k] = 0.0;
  if (channel < channels)
    for (std::uint32_t chunk = threadIdx.y; chunk < chunks; chunk += kFinishRows) {
      const std::uint64_t index = static_cast<std::uint64_t>(chunk) * channels + channel;
      for (int k = 0; k < kValues; ++k) total[k] += partial[kValues * index + k];
    }
  for (int k = 0; k < kValues; ++k) sums[k][threadIdx.y][threadIdx.x] = total[k];
  __syncthreads();
  for (std::uint32_t half = kFinishRows / 2; half > 0; half /= 2) {
    if (threadIdx.y < half)
      for (int k = 0; k < kValues; ++k)
        sums[k][threadIdx.y][threadIdx.x] += sums[k][threadIdx.y + half][threadIdx.x];
    __syncthreads();
  }
  for (int k = 0; k < kValues; ++k) total[k] = sums[k][0][threadIdx.x];
}

}  // namespace convoy::cuda
