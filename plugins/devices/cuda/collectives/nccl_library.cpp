#include "plugins/devices/cuda/collectives/nccl_library.hpp"

#include <stdexcept>

namespace convoy::cuda {
namespace {

// The first version that accepts a communicator's configuration, supports CUDA 12, and has no known
// hangs of non-blocking communicators.
constexpr int kOldest = NCCL_VERSION(2, 18, 1);

std::string nccl_version_text(int code) {
  const int unit = code < 10000 ? 1000 : 10000;
  return std::to_string(code / unit) + "." + std::to_string(code % unit / 100) + "." +
         std::to_string(code % 100);
}

}  // namespace

void require_nccl_version(int version) {
  if (version >= kOldest && version < NCCL_VERSION(NCCL_MAJOR + 1, 0, 0)) return;
  throw std::runtime_error("the NCCL found here is " + nccl_version_text(version) +
                           ", this plug-in was built for " + nccl_version_text(NCCL_VERSION_CODE) +
                           " and takes " + nccl_version_text(kOldest) +
                           " or newer: install a newer one, or put its folder first in "
                           "LD_LIBRARY_PATH");
}

NcclLibrary::NcclLibrary(std::initializer_list<const char*> names)
    : library_(names, "a collective of several GPUs") {
  library_.load(functions_.version, "ncclGetVersion");
  int version = 0;
  functions_.version(&version);
  require_nccl_version(version);
  library_.load(functions_.error_string, "ncclGetErrorString");
  library_.load(functions_.last_error, "ncclGetLastError");
  library_.load(functions_.unique_id, "ncclGetUniqueId");
  library_.load(functions_.init_rank, "ncclCommInitRankConfig");
  library_.load(functions_.finalize, "ncclCommFinalize");
  library_.load(functions_.destroy, "ncclCommDestroy");
  library_.load(functions_.abort, "ncclCommAbort");
  library_.load(functions_.async_error, "ncclCommGetAsyncError");
  library_.load(functions_.group_start, "ncclGroupStart");
  library_.load(functions_.group_end, "ncclGroupEnd");
  library_.load(functions_.all_reduce, "ncclAllReduce");
  library_.load(functions_.reduce, "ncclReduce");
  library_.load(functions_.broadcast, "ncclBroadcast");
  library_.load(functions_.reduce_scatter, "ncclReduceScatter");
  library_.load(functions_.all_gather, "ncclAllGather");
}

const NcclFunctions& nccl() {
  static const NcclLibrary kLibrary;
  return kLibrary.functions();
}

}  // namespace convoy::cuda
