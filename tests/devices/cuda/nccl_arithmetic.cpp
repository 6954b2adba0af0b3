#include "tests/devices/cuda/nccl_arithmetic.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstring>

namespace convoy::cuda::fake_nccl {
namespace {

float load(const char* memory, std::size_t index, ncclDataType_t type) {
  if (type == ncclFloat32) return reinterpret_cast<const float*>(memory)[index];
  if (type == ncclFloat16) return __half2float(reinterpret_cast<const __half*>(memory)[index]);
  return __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(memory)[index]);
}

void store(char* memory, std::size_t index, ncclDataType_t type, float value) {
  if (type == ncclFloat32)
    reinterpret_cast<float*>(memory)[index] = value;
  else if (type == ncclFloat16)
    reinterpret_cast<__half*>(memory)[index] = __float2half_rn(value);
  else
    reinterpret_cast<__nv_bfloat16*>(memory)[index] = __float2bfloat16_rn(value);
}

// Of elements [first, first + count) of what every rank sends, in the order of the ranks.
std::vector<float> reduced(const std::vector<Call>& ranks, std::size_t first, std::size_t count) {
  std::vector<float> result;
  for (std::size_t i = first; i < first + count; ++i) {
    float total = load(ranks[0].send, i, ranks[0].type);
    for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
      const float value = load(ranks[rank].send, i, ranks[rank].type);
      total = ranks[0].reduction == ncclSum   ? total + value
              : ranks[0].reduction == ncclMin ? std::min(total, value)
                                              : std::max(total, value);
    }
    result.push_back(total);
  }
  return result;
}

void put(const Call& to, const std::vector<float>& values, std::size_t first = 0) {
  for (std::size_t i = 0; i < values.size(); ++i) store(to.receive, first + i, to.type, values[i]);
}

}  // namespace

std::size_t size_of(ncclDataType_t type) {
  if (type == ncclUint8) return 1;
  return type == ncclFloat32 || type == ncclInt32 ? 4 : 2;
}

std::string run(const std::vector<Call>& ranks) {
  const Call& it = ranks.front();
  for (const Call& other : ranks)
    if (other.name != it.name || other.count != it.count || other.type != it.type ||
        other.root != it.root)
      return "ranks called " + it.name + " and " + other.name;
  const std::size_t n = ranks.size();
  if (it.name == "all_reduce") {
    const auto total = reduced(ranks, 0, it.count);
    for (const Call& rank : ranks) put(rank, total);
  } else if (it.name == "reduce") {
    put(ranks[static_cast<std::size_t>(it.root)], reduced(ranks, 0, it.count));
  } else if (it.name == "broadcast") {
    const Call& root = ranks[static_cast<std::size_t>(it.root)];
    const std::string bytes(root.send, it.count * size_of(it.type));
    for (const Call& rank : ranks) std::memcpy(rank.receive, bytes.data(), bytes.size());
  } else if (it.name == "reduce_scatter") {
    std::vector<std::vector<float>> pieces;
    for (std::size_t rank = 0; rank < n; ++rank)
      pieces.push_back(reduced(ranks, rank * it.count, it.count));
    for (std::size_t rank = 0; rank < n; ++rank) put(ranks[rank], pieces[rank]);
  } else {
    std::string all;
    for (const Call& rank : ranks) all.append(rank.send, it.count * size_of(it.type));
    for (const Call& rank : ranks) std::memcpy(rank.receive, all.data(), all.size());
  }
  return {};
}

}  // namespace convoy::cuda::fake_nccl
