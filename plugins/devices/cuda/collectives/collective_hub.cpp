#include "plugins/devices/cuda/collectives/collective_hub.hpp"

#include <algorithm>
#include <convoy/device.hpp>
#include <stdexcept>

namespace convoy::cuda {
namespace {

using Clock = std::chrono::steady_clock;

// Between two looks at what was started: nobody waits for this thread but errors.
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
  communicators_.clear();  // while there are streams
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

// The lane's work before this collective, and so its waits, come first on every rank's stream; the
// lane goes on when all ranks are done.
void CollectiveHub::queue(const RankCalls& calls, Communicator& communicator, cudaStream_t lane,
                          Started& it) {
  std::vector<cudaStream_t> streams;
  it.arrived = streams_->record(it.lane_gpu, lane);
  for (const int gpu : calls.gpus) {
    streams.push_back(streams_->stream(gpu));
    streams_->wait(streams.back(), it.arrived);
    it.begun.push_back(streams_->record(gpu, streams.back()));
  }
  communicator.start(calls, streams);
  for (std::size_t rank = 0; rank < calls.gpus.size(); ++rank) {
    it.done.push_back(streams_->record(calls.gpus[rank], streams[rank]));
    streams_->wait(lane, it.done.back());
  }
}

void CollectiveHub::start(const convoy_submission& operation, int lane_gpu, cudaStream_t lane) {
  check();
  const RankCalls calls = make_rank_calls(operation, [this](const convoy_region& region) {
    const int gpu = streams_->gpu_of(region.data);
    if (gpu < 0) throw std::invalid_argument("a collective of GPUs came with host memory");
    return gpu;
  });
  prepare(calls.gpus);
  const std::lock_guard starting(starting_);
  Communicator* communicator = nullptr;
  {
    const std::lock_guard lock(mutex_);
    communicator = communicators_.at(calls.gpus).get();
  }
  Started it;
  it.text = collective_text(operation);
  it.gpus = calls.gpus;
  it.lane_gpu = lane_gpu;
  try {
    queue(calls, *communicator, lane, it);
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
    if (failed_.load()) continue;
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

// Forgets what has ended; throws when NCCL reports an error or the oldest one takes too long. The
// clock of that one starts when a rank of it begins: what comes before is not NCCL's to answer for.
void CollectiveHub::look() {
  const std::lock_guard lock(mutex_);
  for (const auto& [gpus, communicator] : communicators_) {
    const std::string error = communicator->error();
    if (error.empty()) continue;
    std::vector<std::string> names;
    for (const int gpu : gpus) names.push_back(name_of(gpu));
    throw std::runtime_error(
        "a collective among " + joined(names) + " failed: " + error +
        (started_.empty() ? "" : "; the oldest that had not ended: " + started_.front().text));
  }
  if (!started_.empty()) streams_->use(started_.front().lane_gpu);  // not one that is not ours
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
  if (Clock::now() - oldest.since > patience_) throw TimedOut(waiting_text(oldest));
}

std::string CollectiveHub::waiting_text(const Started& it) const {
  std::vector<std::string> waiting, absent, done;
  for (std::size_t rank = 0; rank < it.gpus.size(); ++rank) {
    const std::string name = "rank " + std::to_string(rank) + " (" + name_of(it.gpus[rank]) + ")";
    if (streams_->reached(it.done[rank]))
      done.push_back(name);
    else
      (streams_->reached(it.begun[rank]) ? waiting : absent).push_back(name);
  }
  std::string text =
      it.text + " did not end within " + std::to_string(static_cast<int>(patience_.count())) +
      " s: " + joined(waiting) + (waiting.size() == 1 ? " waits" : " wait") + " in it";
  if (!absent.empty()) text += ", not there yet: " + joined(absent);
  if (!done.empty()) text += ", done: " + joined(done);
  return text +
         "; a GPU or the link to it may be hung (nvidia-smi shows), or another program holds it; "
         "--collective_timeout gives it longer, NCCL_DEBUG=INFO makes NCCL tell more";
}

// The failure shows before anything is aborted: no event that an abort lets pass counts as success.
void CollectiveHub::fail(const std::exception_ptr& error) {
  std::vector<Communicator*> all;
  {
    const std::lock_guard lock(mutex_);
    if (failed_.load()) return;
    failure_ = error;
    failed_.store(true);
    for (const auto& [gpus, communicator] : communicators_) all.push_back(communicator.get());
  }
  for (Communicator* communicator : all) communicator->abort();
}

}  // namespace convoy::cuda
