#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace convoy::cuda {

// What one rank does in a collective. `count` is what the library's function of that kind counts:
// of all_reduce, reduce and broadcast the whole, of the others one rank's piece.
struct RankCall {
  std::uint32_t kind;  // a collective of convoy_operation_kind
  std::uint32_t rank;  // its number among the ranks of this process
  const void* send;
  void* receive;  // null: this rank receives nothing
  std::uint64_t count;
  std::uint32_t root;  // rank in the whole collective; of reduce and broadcast
};

// A submitted collective as calls of its ranks in this process; GPU i is the one of rank number i.
struct RankCalls {
  std::vector<int> gpus;  // of ascending ranks; where all are in this process, ascending GPUs
  std::uint32_t dtype = CONVOY_F32;
  std::uint32_t reduction = CONVOY_REDUCE_SUM;
  std::vector<RankCall> calls;  // to be started together
};

bool is_collective(std::uint32_t kind);

// gpu_of tells whose memory a region is; of a collective over several processes it is asked about
// regions of this one. Pieces of unequal size or in another order than the GPUs'
// become one reduce or broadcast each. Throws std::invalid_argument when a GPU takes part twice or
// without what it has to contribute.
RankCalls make_rank_calls(const convoy_submission& operation,
                          const std::function<int(const convoy_region&)>& gpu_of);

// For messages: "operation 17 (all_reduce of 4096 elements, step 3)".
std::string collective_text(const convoy_submission& operation);

}  // namespace convoy::cuda
