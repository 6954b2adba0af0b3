#pragma once

#include <nccl.h>

#include <initializer_list>

#include "plugins/devices/cuda/libraries/dynamic_library.hpp"

namespace convoy::cuda {

// The functions of NCCL that the plug-in calls. Tests replace them.
struct NcclFunctions {
  decltype(&ncclGetVersion) version = nullptr;
  decltype(&ncclGetErrorString) error_string = nullptr;
  decltype(&ncclGetLastError) last_error = nullptr;
  decltype(&ncclGetUniqueId) unique_id = nullptr;
  decltype(&ncclCommInitRankConfig) init_rank = nullptr;
  decltype(&ncclCommFinalize) finalize = nullptr;
  decltype(&ncclCommDestroy) destroy = nullptr;
  decltype(&ncclCommAbort) abort = nullptr;
  decltype(&ncclCommGetAsyncError) async_error = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  decltype(&ncclReduce) reduce = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&ncclReduceScatter) reduce_scatter = nullptr;
  decltype(&ncclAllGather) all_gather = nullptr;
};

// Throws std::runtime_error, which names both versions, when a library of this version (coded as by
// ncclGetVersion) cannot serve a plug-in built for NCCL_VERSION_CODE.
void require_nccl_version(int version);

// NCCL, opened. Throws std::runtime_error when it is missing or does not fit.
class NcclLibrary {
 public:
  explicit NcclLibrary(std::initializer_list<const char*> names = {"libnccl.so.2"});

  const NcclFunctions& functions() const { return functions_; }

 private:
  DynamicLibrary library_;
  NcclFunctions functions_;
};

// Opens the library at the first call; every call throws if it cannot be opened.
const NcclFunctions& nccl();

}  // namespace convoy::cuda
