#pragma once

#include "plugins/devices/cuda/kernels/vector_access.cuh"

// How kernels that reduce over rows of channels cut their work, and their reads and writes of
// neighbouring channels.
namespace convoy::cuda {

constexpr std::uint32_t kMostChunks = 256;  // partial sums per channel

// How a reduction over rows is cut: a block is `lanes` threads wide, each of which takes `per`
// neighbouring channels of every (kThreads / lanes)-th row of its chunk.
struct Cut {
  std::uint32_t lanes, tiles, chunks;
  std::uint64_t rows_per_chunk;
};

template <typename T>
bool packs_fit(std::uint32_t channels) {
  return channels % kPerAccess<T> == 0;
}

inline Cut cut_rows(std::uint64_t rows, std::uint32_t channels, int per) {
  Cut cut{};
  const std::uint32_t groups = (channels + per - 1) / per;
  cut.lanes = 32;
  while (cut.lanes > 1 && cut.lanes / 2 >= groups) cut.lanes /= 2;
  cut.tiles = (groups + cut.lanes - 1) / cut.lanes;
  const std::uint64_t rows_at_once = kThreads / cut.lanes;
  std::uint64_t chunks = rows / (rows_at_once * 8);
  const std::uint64_t most =
      kMostChunks < 2112 / cut.tiles + 1 ? kMostChunks : 2112 / cut.tiles + 1;
  chunks = chunks < 1 ? 1 : chunks > most ? most : chunks;
  cut.rows_per_chunk = (rows + chunks - 1) / chunks;
  cut.chunks = static_cast<std::uint32_t>((rows + cut.rows_per_chunk - 1) / cut.rows_per_chunk);
  return cut;
}

template <typename T, int kPer>
__device__ inline void load(float (&values)[kPer], const T* from) {
  if constexpr (kPer == 1) {
    values[0] = to_float(*from);
  } else {
    const Pack<T> pack = *reinterpret_cast<const Pack<T>*>(from);
    for (int k = 0; k < kPer; ++k) values[k] = to_float(pack.values[k]);
  }
}

template <typename T, int kPer>
__device__ inline void store(T* to, const float (&values)[kPer]) {
  if constexpr (kPer == 1) {
    *to = from_float<T>(values[0]);
  } else {
    Pack<T> pack;
    for (int k = 0; k < kPer; ++k) pack.values[k] = from_float<T>(values[k]);
    *reinterpret_cast<Pack<T>*>(to) = pack;
  }
}

}  // namespace convoy::cuda
