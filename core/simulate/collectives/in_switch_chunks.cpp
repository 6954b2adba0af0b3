#include "core/simulate/collectives/in_switch_chunks.hpp"

namespace convoy::simulate {
namespace {

constexpr double kLargestChunk = 128 << 10;  // NVIDIA/nccl 2.30, nvls.cc: NVLS_CHUNKSIZE

}  // namespace

// The steps are those of NVIDIA/nccl 2.30, enqueue.cc (calcCollChunking).
double in_switch_chunk_bytes(double bytes, double at_once) {
  double chunk = kLargestChunk;
  if (bytes < 64 * at_once * chunk) chunk /= 2;
  if (bytes < 8 * at_once * chunk) chunk = 32 << 10;
  if (bytes < 2 * at_once * chunk && chunk == 32 << 10) chunk /= 2;
  return chunk;
}

double in_switch_slowdown(double chunk_bytes, double chunk_cost) {
  return 1 + chunk_cost * (kLargestChunk / chunk_bytes - 1);
}

}  // namespace convoy::simulate
