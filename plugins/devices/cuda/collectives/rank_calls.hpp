#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace convoy::cuda {

// The part of one rank in a collective. `count` is the count of the library's function of that
// kind: the whole span for all_reduce, reduce and broadcast, one rank's piece for the others.
struct RankCall {
  std::uint32_t kind;  // a collective of convoy_operation_kind
  std::uint32_t rank;  // its number among the ranks of this process
  const void* send;
  void* receive;  // null: this rank receives nothing
  std::uint64_t count;
  std::uint32_t root;  // for reduce and broadcast: rank in the whole collective
};

// A submitted collective as calls of its ranks in this process; gpus[i] belongs to rank number i.
struct RankCalls {
  std::vector<int> gpus;  // in the order of ranks; if all ranks are here, ascending
  std::uint32_t dtype = CONVOY_F32;
  std::uint32_t reduction = CONVOY_REDUCE_SUM;
  std::vector<RankCall> calls;  // started together
};

bool is_collective(std::uint32_t kind);

// gpu_of returns the GPU whose memory a region is. For a collective over several processes, it is
// called only for regions of this process. Pieces of unequal size or in another order than the
// GPUs' become one reduce or broadcast each. Throws std::invalid_argument when a GPU occurs twice
// or lacks its contribution.
RankCalls make_rank_calls(const convoy_submission& operation,
                          const std::function<int(const convoy_region&)>& gpu_of);

// Returns text for messages: "operation 17 (all_reduce of 4096 elements, step 3)".
std::string collective_text(const convoy_submission& operation);

}  // namespace convoy::cuda
