#include "plugins/devices/cuda/collectives/communicator.hpp"

#include <convoy/device.hpp>
#include <thread>

namespace convoy::cuda {
namespace {

using Clock = std::chrono::steady_clock;

// NCCL usually queues a collective in tens of microseconds. During this time it is polled without a
// pause.
constexpr std::chrono::milliseconds kAskAtOnce{1};
constexpr std::chrono::microseconds kAskAgain{100};
// How long a communicator may take to finalise before it is aborted.
constexpr std::chrono::seconds kFarewell{5};

ncclDataType_t type_of(std::uint32_t dtype) {
  switch (dtype) {
    case CONVOY_F16:
      return ncclFloat16;
    case CONVOY_BF16:
      return ncclBfloat16;
    case CONVOY_I32:
      return ncclInt32;
    case CONVOY_U8:
      return ncclUint8;
    default:
      return ncclFloat32;
  }
}

ncclRedOp_t reduction_of(std::uint32_t reduction) {
  switch (reduction) {
    case CONVOY_REDUCE_MIN:
      return ncclMin;
    case CONVOY_REDUCE_MAX:
      return ncclMax;
    default:
      return ncclSum;
  }
}

CommunicatorRanks all_in_this_process(const NcclFunctions& nccl, const std::vector<int>& gpus) {
  CommunicatorRanks all{{}, static_cast<std::uint32_t>(gpus.size()), gpus, {}};
  require_nccl(nccl, nccl.unique_id(&all.id), "starting NCCL");
  for (std::uint32_t rank = 0; rank < all.size; ++rank) all.ranks.push_back(rank);
  return all;
}

}  // namespace

void require_nccl(const NcclFunctions& nccl, ncclResult_t result, const char* what) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  const char* more = nccl.last_error(nullptr);
  const std::string text = std::string(what) + ": NCCL says " + nccl.error_string(result) + " (" +
                           (more == nullptr ? "" : more) +
                           "); NCCL_DEBUG=WARN in the environment makes it say more";
  if (result == ncclRemoteError) throw TimedOut(text);
  throw std::runtime_error(text);
}

Communicator::Communicator(const NcclFunctions& nccl, const std::vector<int>& gpus,
                           const UseGpu& use_gpu, std::chrono::duration<double> patience)
    : Communicator(nccl, all_in_this_process(nccl, gpus), use_gpu, patience, patience,
                   [] { return false; }) {
  connecting_ = {};  // links inside a machine are made within the patience
}

Communicator::Communicator(const NcclFunctions& nccl, const CommunicatorRanks& ranks,
                           const UseGpu& use_gpu, std::chrono::duration<double> patience,
                           std::chrono::duration<double> join_patience,
                           std::function<bool()> is_given_up)
    : nccl_(nccl),
      gpus_(ranks.gpus),
      numbers_(ranks.ranks),
      size_(ranks.size),
      patience_(patience),
      connecting_(join_patience),
      is_given_up_(std::move(is_given_up)),
      ranks_(gpus_.size(), nullptr) {
  join(ranks, use_gpu);
  is_given_up_ = [] { return false; };  // it refers to objects of the caller
}

void Communicator::join(const CommunicatorRanks& it, const UseGpu& use_gpu) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  const char* const what = "making an NCCL communicator";
  bool is_group_open = false;
  try {
    require(nccl_.group_start(), what);
    is_group_open = true;
    for (std::size_t rank = 0; rank < gpus_.size(); ++rank) {
      use_gpu(gpus_[rank]);
      require(nccl_.init_rank(&ranks_[rank], static_cast<int>(it.size), it.id,
                              static_cast<int>(it.ranks[rank]), &config),
              what);
    }
    is_group_open = false;
    finish_group(what, connecting_);
  } catch (...) {
    if (is_group_open)
      static_cast<void>(nccl_.group_end());  // otherwise aborting would be queued in the group
    abort();                                 // the destructor is not called
    throw;
  }
}

Communicator::~Communicator() {
  if (given_up_.load()) abort();
  if (aborted_) return;
  bool parted = nccl_.group_start() == ncclSuccess;
  for (ncclComm_t rank : ranks_) {
    const ncclResult_t result = nccl_.finalize(rank);
    parted = parted && (result == ncclSuccess || result == ncclInProgress);
  }
  try {
    finish_group("ending NCCL", kFarewell);
  } catch (const std::exception&) {
    parted = false;
  }
  if (!parted) abort();
  for (ncclComm_t rank : ranks_)
    if (parted) static_cast<void>(nccl_.destroy(rank));
}

bool Communicator::is_in_progress(const char* what) const {
  for (ncclComm_t rank : ranks_) {
    ncclResult_t state = ncclSuccess;
    require(nccl_.async_error(rank, &state), what);
    require(state, what);
    if (state == ncclInProgress) return true;
  }
  return false;
}

// Ends the group. Its calls are queued only when no rank is in progress any more.
void Communicator::finish_group(const char* what, std::chrono::duration<double> patience) {
  require(nccl_.group_end(), what);
  const auto begin = Clock::now();
  while (is_in_progress(what)) {
    if (given_up_.load() || is_given_up_())
      throw TimedOut(std::string(what) + ": another process of the group is lost");
    const auto passed = Clock::now() - begin;
    if (passed > patience)
      throw TimedOut(std::string(what) + ": NCCL was not done after " +
                     std::to_string(static_cast<int>(patience.count())) + " s");
    if (passed < kAskAtOnce)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(kAskAgain);
  }
}

ncclResult_t Communicator::call(const RankCall& call, const RankCalls& all,
                                cudaStream_t stream) const {
  ncclComm_t rank = ranks_[call.rank];
  const ncclDataType_t type = type_of(all.dtype);
  const ncclRedOp_t reduction = reduction_of(all.reduction);
  const auto root = static_cast<int>(call.root);
  switch (call.kind) {
    case CONVOY_OP_ALL_REDUCE:
      return nccl_.all_reduce(call.send, call.receive, call.count, type, reduction, rank, stream);
    case CONVOY_OP_REDUCE:
      return nccl_.reduce(call.send, call.receive, call.count, type, reduction, root, rank, stream);
    case CONVOY_OP_BROADCAST:
      return nccl_.broadcast(call.send, call.receive, call.count, type, root, rank, stream);
    case CONVOY_OP_REDUCE_SCATTER:
      return nccl_.reduce_scatter(call.send, call.receive, call.count, type, reduction, rank,
                                  stream);
    default:
      return nccl_.all_gather(call.send, call.receive, call.count, type, rank, stream);
  }
}

std::chrono::duration<double> Communicator::patience_with(const RankCalls& calls) {
  bool connects = false;
  for (const RankCall& it : calls.calls)
    connects = known_.emplace(it.kind, calls.dtype, it.count).second || connects;
  return connects ? patience_ + connecting_ : patience_;
}

// Always ends the group, also when one of its calls is refused, because it is a state of the
// thread.
std::chrono::duration<double> Communicator::start(const RankCalls& calls,
                                                  const std::vector<cudaStream_t>& streams) {
  const std::lock_guard lock(mutex_);
  if (aborted_) throw std::runtime_error("starting a collective: NCCL was ended by an earlier one");
  require(nccl_.group_start(), "starting a collective");
  ncclResult_t refused = ncclSuccess;
  for (const RankCall& it : calls.calls) {
    const ncclResult_t result = call(it, calls, streams[it.rank]);
    if (result == ncclSuccess || result == ncclInProgress) continue;
    refused = result;
    break;
  }
  if (refused != ncclSuccess) {
    static_cast<void>(nccl_.group_end());
    require(refused, "starting a collective");
  }
  const std::chrono::duration<double> patience = patience_with(calls);
  finish_group("starting a collective", patience);
  return patience;
}

std::string Communicator::error() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || aborted_) return {};
  for (ncclComm_t rank : ranks_) {
    ncclResult_t state = ncclSuccess;
    if (nccl_.async_error(rank, &state) != ncclSuccess) state = ncclInternalError;
    if (state != ncclSuccess && state != ncclInProgress)
      return std::string("NCCL says ") + nccl_.error_string(state);
  }
  return {};
}

void Communicator::abort() {
  const std::lock_guard lock(mutex_);
  if (aborted_) return;
  aborted_ = true;
  static_cast<void>(nccl_.group_start());
  for (ncclComm_t rank : ranks_)
    if (rank != nullptr) static_cast<void>(nccl_.abort(rank));
  static_cast<void>(nccl_.group_end());
}

}  // namespace convoy::cuda
