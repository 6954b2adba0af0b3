#include "core/data/pipeline/batch_pipeline.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"

namespace convoy::data {
namespace {

[[noreturn]] void rethrow_as_error(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& other) {
    fail(ExitCode::kFailed, "the input pipeline failed: {}", other.what());
  }
}

}  // namespace

SampleResult left_out_sample(const DataOptions& options, float* image) {
  std::fill_n(image, options.image_elements(), 0.0f);
  SampleResult result;
  result.label = kNoLabel;
  return result;
}

BatchPipeline::BatchPipeline(const DataOptions& options, MakeSample make_sample)
    : options_(options), make_sample_(std::move(make_sample)) {
  check_data_options(options_);
  replicas_.resize(static_cast<std::size_t>(options_.replicas));
  for (Replica& replica : replicas_) {
    replica.next_acquired = options_.first_step;
    replica.next_scheduled = options_.first_step;
  }
  for (int ahead = 0; ahead < options_.prefetch_depth; ++ahead) {
    for (int replica = 0; replica < options_.replicas; ++replica)
      if (options_.is_local(replica)) schedule(replica);
  }
  for (int worker = 0; worker < options_.threads; ++worker) {
    workers_.emplace_back([this, worker](const std::stop_token& stop) { work(stop, worker); });
  }
}

BatchPipeline::~BatchPipeline() {
  for (std::jthread& worker : workers_) worker.request_stop();
}

const Batch& BatchPipeline::acquire(int replica, std::int64_t step) {
  std::unique_lock lock(mutex_);
  Replica& state = replicas_.at(static_cast<std::size_t>(replica));
  CONVOY_CHECK(options_.is_local(replica));
  CONVOY_CHECK_EQ(step, state.next_acquired);
  Slot& slot = *state.slots.at(step);
  const auto begin = std::chrono::steady_clock::now();
  batch_ready_.wait(lock, [&] { return slot.finished == options_.batch; });
  statistics_.wait_seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (slot.error) rethrow_as_error(slot.error);
  statistics_.images += options_.batch;
  statistics_.bad_records += slot.replaced;
  if (statistics_.bad_record_example.empty()) statistics_.bad_record_example = slot.reason;
  ++state.next_acquired;
  schedule(replica);
  return slot.batch;
}

bool BatchPipeline::is_ready(int replica, std::int64_t step) const {
  const std::lock_guard lock(mutex_);
  return replicas_.at(static_cast<std::size_t>(replica)).slots.at(step)->finished == options_.batch;
}

void BatchPipeline::release(int replica, std::int64_t step) {
  const std::lock_guard lock(mutex_);
  Replica& state = replicas_.at(static_cast<std::size_t>(replica));
  const auto held = state.slots.find(step);
  CONVOY_CHECK(held != state.slots.end());
  CONVOY_CHECK_LT(step, state.next_acquired);
  unused_.push_back(std::move(held->second));
  state.slots.erase(held);
}

SourceStatistics BatchPipeline::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

// The caller holds the mutex, or there are no workers yet.
void BatchPipeline::schedule(int replica) {
  std::unique_ptr<Slot> slot;
  if (unused_.empty()) {
    slot = std::make_unique<Slot>();
    slot->images = options_.make_image_memory();
    slot->labels.resize(static_cast<std::size_t>(options_.batch));
    slot->batch = {slot->images.get(), slot->labels.data(), options_.batch};
  } else {
    slot = std::move(unused_.back());
    unused_.pop_back();
    slot->started = slot->finished = slot->replaced = 0;
    slot->batch.left_out = 0;
    slot->reason.clear();
  }
  Replica& state = replicas_[static_cast<std::size_t>(replica)];
  slot->replica = replica;
  slot->step = state.next_scheduled++;
  open_.push_back(slot.get());
  state.slots.emplace(slot->step, std::move(slot));
  work_ready_.notify_all();
}

void BatchPipeline::work(const std::stop_token& stop, int worker) {
  std::unique_lock lock(mutex_);
  while (work_ready_.wait(lock, stop, [this] { return !open_.empty(); })) {
    if (stop.stop_requested()) return;
    Slot& slot = *open_.front();
    const int index = slot.started++;
    if (slot.started == options_.batch) open_.pop_front();
    const std::int64_t position = std::int64_t{slot.replica} * options_.batch + index;
    lock.unlock();
    make({worker, slot.step, position}, slot);
    lock.lock();
  }
}

void BatchPipeline::make(const SampleRequest& request, Slot& slot) {
  const std::int64_t index = request.position % options_.batch;
  SampleResult result;
  std::exception_ptr error;
  try {
    result = make_sample_(request, slot.images.get() + index * options_.image_elements());
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  ++statistics_.made;
  slot.labels[static_cast<std::size_t>(index)] = result.label;
  if (result.label == kNoLabel) ++slot.batch.left_out;
  if (result.replaced) {
    ++slot.replaced;
    slot.reason = std::move(result.reason);
  }
  if (error && (!slot.error || request.position < slot.error_position)) {
    slot.error = error;
    slot.error_position = request.position;
  }
  if (++slot.finished == options_.batch) batch_ready_.notify_all();
}

}  // namespace convoy::data
