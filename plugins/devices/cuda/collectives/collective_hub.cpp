#include "plugins/devices/cuda/collectives/collective_hub.hpp"

#include <algorithm>
#include <convoy/device.hpp>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "plugins/devices/cuda/gpu/gpu_memory.hpp"

namespace convoy::cuda {
namespace {

using Clock = std::chrono::steady_clock;

// Interval between two checks of started collectives. Only errors depend on this thread.
constexpr std::chrono::milliseconds kLookAgain{5};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

CollectiveHub::CollectiveHub(const NcclFunctions& nccl, std::unique_ptr<RankStreams> streams,
                             std::chrono::duration<double> patience)
    : nccl_(nccl),
      streams_(std::move(streams)),
      patience_(patience),
      watcher_([this] { watch_loop(); }) {}

CollectiveHub::~CollectiveHub() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  watcher_.join();
  if (failed_.load()) abort_all();
  communicators_.clear();  // before the streams are destroyed
  groups_.clear();
}

void CollectiveHub::name_device(int gpu, const std::string& name) {
  const std::lock_guard lock(mutex_);
  names_[gpu] = name;
}

std::string CollectiveHub::name_of(int gpu) const {
  const auto found = names_.find(gpu);
  return found == names_.end() ? "GPU " + std::to_string(gpu) : found->second;
}

void CollectiveHub::prepare(std::vector<int> gpus) {
  std::sort(gpus.begin(), gpus.end());
  const std::lock_guard starting(starting_);
  {
    const std::lock_guard lock(mutex_);
    if (communicators_.contains(gpus)) return;
  }
  for (const int gpu : gpus) static_cast<void>(streams_->stream(gpu));
  auto communicator = std::make_unique<Communicator>(
      nccl_, gpus, [this](int gpu) { streams_->use(gpu); }, patience_);
  const std::lock_guard lock(mutex_);
  communicators_.emplace(std::move(gpus), std::move(communicator));
}

convoy_collective_id CollectiveHub::make_id() {
  static_assert(sizeof(convoy_collective_id) == sizeof(ncclUniqueId));
  ncclUniqueId made{};
  require_nccl(nccl_, nccl_.unique_id(&made), "starting NCCL");
  convoy_collective_id id{};
  std::memcpy(&id, &made, sizeof id);
  return id;
}

// Does not hold the mutex of the watching thread, because joining may take long.
void* CollectiveHub::open_group(const SpanningGroup& group) {
  check();
  CommunicatorRanks ranks{{}, group.size, group.gpus, group.ranks};
  std::memcpy(&ranks.id, &group.id, sizeof ranks.id);
  const std::lock_guard starting(starting_);
  for (const int gpu : group.gpus) static_cast<void>(streams_->stream(gpu));
  auto opened = std::make_unique<Communicator>(
      nccl_, std::move(ranks), [this](int gpu) { streams_->use(gpu); }, patience_,
      std::chrono::duration<double>(group.seconds), group.is_given_up);
  const std::lock_guard lock(mutex_);
  return groups_.emplace_back(std::move(opened)).get();
}

// Waits until no ranks of other collectives are being started, because NCCL frees memory.
void CollectiveHub::close_group(void* group) {
  const std::lock_guard starting(starting_);
  if (failed_.load()) abort_all();
  const std::lock_guard ending(ending_);
  std::unique_ptr<Communicator> closed;
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(groups_.begin(), groups_.end(),
                   [group](const auto& communicator) { return communicator.get() == group; });
  if (found == groups_.end()) return;
  closed = std::move(*found);
  groups_.erase(found);
}

// On every rank's stream, the collective follows the lane's earlier work, and so its waits. The
// lane continues when all ranks are done. Ranks on several GPUs are started in one memory_turn().
void CollectiveHub::queue(const RankCalls& calls, Communicator& communicator, cudaStream_t lane,
                          Started& it) {
  std::vector<cudaStream_t> streams;
  it.arrived = streams_->record(it.lane_gpu, lane);
  for (const int gpu : calls.gpus) {
    streams.push_back(streams_->stream(gpu));
    streams_->wait(streams.back(), it.arrived);
    it.begun.push_back(streams_->record(gpu, streams.back()));
  }
  {
    const auto turn = calls.gpus.size() > 1 ? memory_turn() : MemoryTurn();
    it.patience = communicator.start(calls, streams);
  }
  for (std::size_t rank = 0; rank < calls.gpus.size(); ++rank) {
    it.done.push_back(streams_->record(calls.gpus[rank], streams[rank]));
    streams_->wait(lane, it.done.back());
  }
}

Communicator& CollectiveHub::communicator_of(const convoy_submission& operation,
                                             const RankCalls& calls) {
  if (operation.ranks != nullptr) return *static_cast<Communicator*>(operation.collective_group);
  prepare(calls.gpus);
  const std::lock_guard lock(mutex_);
  return *communicators_.at(calls.gpus);
}

void CollectiveHub::start(const convoy_submission& operation, int lane_gpu, cudaStream_t lane) {
  check();
  const RankCalls calls = make_rank_calls(operation, [this](const convoy_region& region) {
    const int gpu = streams_->gpu_of(region.data);
    if (gpu < 0) throw std::invalid_argument("a collective of GPUs came with host memory");
    return gpu;
  });
  Communicator& communicator = communicator_of(operation, calls);
  const std::lock_guard starting(starting_);
  Started it;
  it.text = collective_text(operation);
  it.gpus = calls.gpus;
  it.numbers = communicator.numbers();
  it.elsewhere = communicator.size() - static_cast<std::uint32_t>(it.numbers.size());
  it.lane_gpu = lane_gpu;
  try {
    queue(calls, communicator, lane, it);
  } catch (...) {
    fail(std::current_exception());
    throw;
  }
  const std::lock_guard lock(mutex_);
  started_.push_back(std::move(it));
}

void CollectiveHub::check() const {
  if (!failed_.load()) return;
  const std::lock_guard lock(mutex_);
  std::rethrow_exception(failure_);
}

void CollectiveHub::watch_loop() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kLookAgain, [this] { return closing_; });
      if (closing_) return;
    }
    if (failed_.load()) {
      abort_all();
      continue;
    }
    try {
      look();
    } catch (...) {
      fail(std::current_exception());
    }
  }
}

bool CollectiveHub::all_done(const Started& it) const {
  return std::all_of(it.done.begin(), it.done.end(),
                     [this](RankStreams::Event event) { return streams_->reached(event); });
}

void CollectiveHub::give_back(Started& it) {
  for (std::size_t rank = 0; rank < it.gpus.size(); ++rank) {
    streams_->give_back(it.gpus[rank], it.begun[rank]);
    streams_->give_back(it.gpus[rank], it.done[rank]);
  }
  streams_->give_back(it.lane_gpu, it.arrived);
}

std::vector<Communicator*> CollectiveHub::all_communicators() const {
  std::vector<Communicator*> all;
  for (const auto& [gpus, communicator] : communicators_) all.push_back(communicator.get());
  for (const auto& communicator : groups_) all.push_back(communicator.get());
  return all;
}

// Returns the communicator's error; empty if there is none.
std::string CollectiveHub::error_text(Communicator& communicator) const {
  const std::string error = communicator.error();
  if (error.empty()) return {};
  std::vector<std::string> names;
  for (const int gpu : communicator.gpus()) names.push_back(name_of(gpu));
  return "a collective among " + joined(names) + " failed: " + error +
         (started_.empty() ? "" : "; the oldest that had not ended: " + started_.front().text);
}

// Forgets collectives that have ended. Throws when NCCL reports an error or the oldest collective
// takes too long. Its clock starts when one of its ranks begins, because NCCL is not responsible
// for earlier delays.
void CollectiveHub::look() {
  const std::lock_guard lock(mutex_);
  for (Communicator* communicator : all_communicators())
    if (const std::string error = error_text(*communicator); !error.empty())
      throw std::runtime_error(error);
  if (!started_.empty())
    streams_->use(started_.front().lane_gpu);  // the thread may have another GPU
  while (!started_.empty() && all_done(started_.front())) {
    give_back(started_.front());
    started_.pop_front();
  }
  if (started_.empty()) return;
  Started& oldest = started_.front();
  const bool begun = std::any_of(oldest.begun.begin(), oldest.begun.end(),
                                 [this](auto event) { return streams_->reached(event); });
  if (!begun) return;
  if (oldest.since == Clock::time_point{}) oldest.since = Clock::now();
  if (Clock::now() - oldest.since > oldest.patience) throw TimedOut(waiting_text(oldest));
}

std::string CollectiveHub::waiting_text(const Started& it) const {
  std::vector<std::string> waiting, absent, done;
  for (std::size_t rank = 0; rank < it.gpus.size(); ++rank) {
    const std::string name =
        "rank " + std::to_string(it.numbers[rank]) + " (" + name_of(it.gpus[rank]) + ")";
    if (streams_->reached(it.done[rank]))
      done.push_back(name);
    else
      (streams_->reached(it.begun[rank]) ? waiting : absent).push_back(name);
  }
  std::string text =
      it.text + " did not end within " + std::to_string(static_cast<int>(it.patience.count())) +
      " s: " + joined(waiting) + (waiting.size() == 1 ? " waits" : " wait") + " in it";
  if (!absent.empty()) text += ", not there yet: " + joined(absent);
  if (!done.empty()) text += ", done: " + joined(done);
  if (it.elsewhere > 0)
    text += "; " + std::to_string(it.elsewhere) + (it.elsewhere == 1 ? " rank is" : " ranks are") +
            " in other processes, which may be late";
  return text +
         "; a GPU or the link to it may be hung (nvidia-smi shows), or another program holds it; "
         "--collective_timeout gives it longer, NCCL_DEBUG=INFO makes NCCL tell more";
}

// The failure is visible before anything is aborted, so no event that an abort releases counts as
// success.
bool CollectiveHub::take_failure(const std::exception_ptr& error) {
  const std::lock_guard lock(mutex_);
  if (failed_.load()) return false;
  failure_ = error;
  failed_.store(true);
  for (Communicator* communicator : all_communicators()) communicator->give_up();
  return true;
}

void CollectiveHub::fail(const std::exception_ptr& error) {
  if (take_failure(error)) abort_all();
}

// Aborts all communicators in one NCCL group: NCCL then frees memory only at the end, when all
// kernels were told to stop. One after the other may hang, because freeing the first one's memory
// may wait for the second one's kernels: https://github.com/NVIDIA/nccl/issues/1013. NCCL before
// 2.22 does not support such groups.
void CollectiveHub::abort_all() {
  const std::lock_guard ending(ending_);
  std::vector<Communicator*> all;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(aborted_, true)) return;
    all = all_communicators();
  }
  static_cast<void>(nccl_.group_start());
  for (Communicator* communicator : all) communicator->abort();
  static_cast<void>(nccl_.group_end());
}

// The watching thread aborts.
void CollectiveHub::interrupt(const std::string& reason) {
  static_cast<void>(take_failure(std::make_exception_ptr(TimedOut(reason))));
}

}  // namespace convoy::cuda
