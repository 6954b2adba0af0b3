#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plugins/devices/cuda/collectives/nccl_library.hpp"

namespace convoy::cuda::fake_nccl {

// NCCL on host memory: what a group of calls asks for is done when the group ends. One per process.
struct World {
  int version = NCCL_VERSION_CODE;
  std::vector<std::string> calls;        // what ranks were told, for example "all_reduce 1/2 of 4"
  std::string misuse;                    // the first call that real NCCL would choke on
  int communicators = 0;                 // ranks that are not destroyed or aborted
  int aborted = 0;                       // ranks
  int questions_until_done = 0;          // asynchronous: so often "in progress" after a group
  ncclResult_t state = ncclSuccess;      // of every rank, when asked
  ncclResult_t next_call = ncclSuccess;  // what collectives return when called
  std::function<void()> on_abort = [] {};
  std::function<void()> on_question = [] {};  // whether something is in progress
};

World& world();
// What every rank answers from now on when it is asked.
void set_state(ncclResult_t state);
void reset();
const NcclFunctions& functions();

}  // namespace convoy::cuda::fake_nccl
