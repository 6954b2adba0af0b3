#include "tests/devices/cuda/fake_nccl.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "tests/devices/cuda/nccl_arithmetic.hpp"

namespace convoy::cuda::fake_nccl {

// All ranks of one unique id; `made` of them have joined.
struct Clique {
  int size = 0;
  int made = 0;
  int told_to_stop = 0;
  std::vector<std::vector<Call>> calls;  // per rank, since the group began
};

}  // namespace convoy::cuda::fake_nccl

// NOLINTNEXTLINE(readability-identifier-naming): NCCL's name.
struct ncclComm {
  int rank;
  std::shared_ptr<convoy::cuda::fake_nccl::Clique> clique;
};

namespace {

using convoy::cuda::fake_nccl::Call;
using convoy::cuda::fake_nccl::Clique;
using convoy::cuda::fake_nccl::run;
using convoy::cuda::fake_nccl::world;

std::mutex mutex;
std::map<std::string, std::shared_ptr<Clique>> cliques;
thread_local int depth = 0;
thread_local std::vector<ncclComm_t> aborting;  // in this thread's group
int questions = 0;

void misuse(const std::string& text) {
  if (world().misuse.empty()) world().misuse = text;
}

void run_group() {
  for (auto& [id, clique] : cliques) {
    if (clique->made != 0 && clique->made != clique->size)
      misuse("a group made some ranks of a communicator only");
    for (std::size_t i = 0; !clique->calls.empty() && i < clique->calls[0].size(); ++i) {
      std::vector<Call> together;
      for (const auto& rank : clique->calls)
        if (i < rank.size()) together.push_back(rank[i]);
      if (together.size() != clique->calls.size())
        misuse("not every rank called " + together.front().name);
      else if (const std::string wrong = run(together); !wrong.empty())
        misuse(wrong);
    }
    for (auto& rank : clique->calls) rank.clear();
  }
}

ncclResult_t collect(ncclComm_t comm, Call call) {
  const std::lock_guard lock(mutex);
  if (depth == 0) misuse(call.name + " outside a group");
  if (world().next_call != ncclSuccess) return world().next_call;
  world().calls.push_back(call.name + " " + std::to_string(comm->rank) + "/" +
                          std::to_string(comm->clique->size) + " of " + std::to_string(call.count) +
                          (call.root >= 0 ? " root " + std::to_string(call.root) : ""));
  comm->clique->calls[static_cast<std::size_t>(comm->rank)].push_back(std::move(call));
  return ncclInProgress;
}

ncclResult_t version(int* code) {
  *code = world().version;
  return ncclSuccess;
}
const char* error_string(ncclResult_t result) {
  return result == ncclRemoteError ? "remote process exited" : "unhandled system error";
}
const char* last_error(ncclComm_t) {
  return "the cable is loose";
}
ncclResult_t unique_id(ncclUniqueId* id) {
  static int next = 0;
  const std::lock_guard lock(mutex);
  std::memset(id->internal, 0, sizeof id->internal);
  std::memcpy(id->internal, &++next, sizeof next);
  return ncclSuccess;
}
ncclResult_t init_rank(ncclComm_t* comm, int size, ncclUniqueId id, int rank,
                       ncclConfig_t* config) {
  const std::lock_guard lock(mutex);
  if (depth == 0) misuse("ranks of one thread made outside a group");
  if (config->blocking != 0) misuse("a communicator that blocks");
  auto& clique = cliques[std::string(id.internal, sizeof id.internal)];
  if (clique == nullptr) clique = std::make_shared<Clique>();
  clique->size = size;
  ++clique->made;
  clique->calls.resize(static_cast<std::size_t>(size));
  *comm = new ncclComm{rank, clique};
  ++world().communicators;
  return ncclInProgress;
}
ncclResult_t finalize(ncclComm_t) {
  return ncclInProgress;
}
ncclResult_t destroy(ncclComm_t comm) {
  const std::lock_guard lock(mutex);
  --world().communicators;
  --comm->clique->made;
  delete comm;
  return ncclSuccess;
}
// Frees memory, which waits for whatever runs on the GPUs: it comes to an end if it was told to.
void free_aborted() {
  std::vector<ncclComm_t> freed;
  freed.swap(aborting);
  if (freed.empty()) return;
  const std::lock_guard lock(mutex);
  for (const auto& [id, clique] : cliques)
    if (clique->told_to_stop < clique->made)
      misuse("memory of a communicator is freed while another one's kernels may run");
  for (ncclComm_t comm : freed) {
    --world().communicators;
    --comm->clique->made;
    --comm->clique->told_to_stop;
    delete comm;
  }
}
ncclResult_t abort_rank(ncclComm_t comm) {
  world().on_abort();
  {
    const std::lock_guard lock(mutex);
    ++world().aborted;
    ++comm->clique->told_to_stop;
  }
  aborting.push_back(comm);
  if (depth == 0) free_aborted();
  return ncclSuccess;
}
ncclResult_t async_error(ncclComm_t, ncclResult_t* state) {
  world().on_question();
  const std::lock_guard lock(mutex);
  *state = questions > 0 ? ncclInProgress : world().state;
  questions = std::max(0, questions - 1);
  return ncclSuccess;
}
ncclResult_t group_start() {
  ++depth;
  return ncclSuccess;
}
ncclResult_t group_end() {
  if (--depth > 0) return ncclSuccess;
  free_aborted();
  const std::lock_guard lock(mutex);
  run_group();
  questions = world().questions_until_done;
  return ncclInProgress;
}
ncclResult_t all_reduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t reduction, ncclComm_t comm, cudaStream_t) {
  return collect(comm, {"all_reduce", static_cast<const char*>(send), static_cast<char*>(receive),
                        count, type, reduction, -1});
}
ncclResult_t reduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                    ncclRedOp_t reduction, int root, ncclComm_t comm, cudaStream_t) {
  return collect(comm, {"reduce", static_cast<const char*>(send), static_cast<char*>(receive),
                        count, type, reduction, root});
}
ncclResult_t broadcast(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                       int root, ncclComm_t comm, cudaStream_t) {
  return collect(comm, {"broadcast", static_cast<const char*>(send), static_cast<char*>(receive),
                        count, type, ncclSum, root});
}
ncclResult_t reduce_scatter(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                            ncclRedOp_t reduction, ncclComm_t comm, cudaStream_t) {
  return collect(comm, {"reduce_scatter", static_cast<const char*>(send),
                        static_cast<char*>(receive), count, type, reduction, -1});
}
ncclResult_t all_gather(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                        ncclComm_t comm, cudaStream_t) {
  return collect(comm, {"all_gather", static_cast<const char*>(send), static_cast<char*>(receive),
                        count, type, ncclSum, -1});
}

}  // namespace

namespace convoy::cuda::fake_nccl {

World& world() {
  static World it;
  return it;
}

void set_state(ncclResult_t state) {
  const std::lock_guard lock(mutex);
  world().state = state;
}

void reset() {
  const std::lock_guard lock(mutex);
  world() = World{};
  cliques.clear();
  questions = 0;
}

const NcclFunctions& functions() {
  static const NcclFunctions kTable{version,     error_string, last_error,     unique_id,
                                    init_rank,   finalize,     destroy,        abort_rank,
                                    async_error, group_start,  group_end,      all_reduce,
                                    reduce,      broadcast,    reduce_scatter, all_gather};
  return kTable;
}

}  // namespace convoy::cuda::fake_nccl
