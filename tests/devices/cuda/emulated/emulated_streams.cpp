#include "tests/devices/cuda/emulated/emulated_streams.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <utility>

#include "tests/devices/cuda/emulated/emulation.hpp"

namespace convoy::cuda::emulation {
namespace {

thread_local std::shared_ptr<Capture> capture_now;

// How many graphs were launched, what else streams were given outside of graphs, and how often a
// thread waited for a stream that it only wanted to give something. Told in two places: with
// CONVOY_EMULATION_COUNTERS=ADDRESS a test of this process has the three counters there.
// With CONVOY_EMULATION_COUNTS=FILE nothing is computed, so that large models can be counted; the
// file has the numbers when the process ends.
class Counter {
 public:
  Counter() {
    if (const char* address = std::getenv("CONVOY_EMULATION_COUNTERS")) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the test gives an address.
      counts_ = reinterpret_cast<std::atomic<std::uint64_t>*>(
          static_cast<std::uintptr_t>(std::strtoull(address, nullptr, 10)));
    }
  }
  ~Counter() {
    if (file_ != nullptr)
      std::ofstream(file_) << "graphs " << counts_[0] << "\nothers " << counts_[1] << "\nwaits "
                           << counts_[2] << "\n";
  }
  bool only_counts() const { return file_ != nullptr; }
  void graph() { ++counts_[0]; }
  void other() { ++counts_[1]; }
  void wait() { ++counts_[2]; }

 private:
  const char* file_ = std::getenv("CONVOY_EMULATION_COUNTS");
  std::atomic<std::uint64_t> own_[3] = {};
  std::atomic<std::uint64_t>* counts_ = own_;
};
Counter counter;

// What CUDA answers with an error, and every call after it.
[[noreturn]] void misused(const char* how) {
  std::fprintf(stderr, "CUDA graphs are misused: %s\n", how);
  std::abort();
}

void record_work(CUstream_st* stream, const Work& work) {
  stream->capture->work.push_back(work);
  stream->before[stream] = ++stream->recorded;
}

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
}

// Of all that streams hold back.
std::mutex mutex;
std::condition_variable changed;
std::set<CUstream_st*> held_up;

bool is_free(const CUstream_st& stream) {
  return stream.held_back.empty() && !stream.is_running;
}

// Runs what a stream holds back as far as nothing holds it up; whether it ran anything.
bool go_on(CUstream_st& stream, std::unique_lock<std::mutex>& lock) {
  bool moved = false;
  while (!stream.is_running && !stream.held_back.empty()) {
    const CUstream_st::HeldBack& next = stream.held_back.front();
    if (next.until != nullptr && !next.until->reached) break;
    const std::function<void()> work = next.run;
    stream.held_back.pop_front();
    stream.is_running = true;
    lock.unlock();
    if (work) work();
    lock.lock();
    stream.is_running = false;
    moved = true;
  }
  if (is_free(stream)) held_up.erase(&stream);
  return moved;
}

void go_on() {
  std::unique_lock lock(mutex);
  for (bool moved = true; moved;) {
    moved = false;
    const std::vector<CUstream_st*> streams(held_up.begin(), held_up.end());
    for (CUstream_st* stream : streams)
      moved = (held_up.contains(stream) && go_on(*stream, lock)) || moved;
  }
  changed.notify_all();
}

void run_in_order(CUstream_st* stream, const std::function<void()>& work) {
  {
    const std::lock_guard lock(mutex);
    if (stream != nullptr && !is_free(*stream)) {
      stream->held_back.push_back({work});
      return;
    }
  }
  work();
}

void go_on_after_copy(CUstream_st* stream) {
  if (stream != nullptr && std::exchange(stream->copied_unpinned, false)) counter.wait();
}

}  // namespace

bool only_counts() {
  return counter.only_counts();
}

void queue(CUstream_st* stream, const std::function<void()>& work) {
  go_on_after_copy(stream);
  if (stream != nullptr && stream->capture != nullptr) return record_work(stream, {work, true});
  if (capture_now != nullptr) misused("work for a stream that is not part of what is recorded");
  counter.other();
  if (!counter.only_counts()) run_in_order(stream, work);
}

void begin_capture(CUstream_st* stream) {
  if (capture_now != nullptr || stream->capture != nullptr) misused("two recordings at once");
  capture_now = std::make_shared<Capture>();
  capture_now->streams.push_back(stream);
  stream->capture = capture_now;
}

cudaError_t end_capture(CUstream_st* stream, Recording& work) {
  if (capture_now == nullptr || stream != capture_now->streams.front())
    misused("ended on another stream");
  bool joined = true;
  for (CUstream_st* it : capture_now->streams) {
    joined = joined && stream->before[it] == it->recorded;
  }
  for (CUstream_st* it : capture_now->streams) {
    it->capture = nullptr;
    it->recorded = 0;
    it->before.clear();
  }
  capture_now->open = false;
  work = std::move(capture_now->work);
  capture_now = nullptr;
  return joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

bool is_capturing() {
  return capture_now != nullptr;
}

void copy_unpinned(CUstream_st* stream) {
  if (stream != nullptr) stream->copied_unpinned = true;
}

void record(CUevent_st* event, CUstream_st* stream) {
  go_on_after_copy(stream);
  event->recorded = true;
  event->capture = stream->capture;
  event->before = stream->before;
  event->mark = nullptr;
  const std::lock_guard lock(mutex);
  if (event->capture != nullptr || is_free(*stream)) {
    event->milliseconds = now();
    return;
  }
  event->mark = std::make_shared<Mark>();
  stream->held_back.push_back({[event, mark = event->mark] {
    event->milliseconds = now();
    mark->reached = true;
  }});
}

void record_in_graph(CUevent_st* event, CUstream_st* stream) {
  if (stream->capture == nullptr) misused("an event of a graph outside of one");
  event->capture = nullptr;
  record_work(stream, {[event] {
                         event->milliseconds = now();
                         event->recorded = true;
                       },
                       false});
}

void wait(CUstream_st* stream, CUevent_st* event) {
  if (event->capture == nullptr) {
    if (stream->capture != nullptr) misused("what is recorded waits for something outside");
    const std::lock_guard lock(mutex);
    if (event->mark == nullptr || event->mark->reached) return;
    stream->held_back.push_back({{}, event->mark});
    held_up.insert(stream);
    return;
  }
  if (!event->capture->open) misused("a stream waits for what was only recorded");
  if (stream->capture == nullptr) {
    stream->capture = event->capture;
    stream->capture->streams.push_back(stream);
  }
  for (const auto& [other, count] : event->before)
    stream->before[other] = std::max(stream->before[other], count);
}

void launch_graph(const Recording& work, CUstream_st* stream) {
  if (capture_now != nullptr) misused("a graph within what is recorded");
  counter.graph();
  run_in_order(stream, [work] {
    for (const Work& it : work)
      if (!it.computes || !counter.only_counts()) it.run();
  });
}

void hold(CUstream_st* stream, std::function<void()> arrived, std::shared_ptr<Mark> until) {
  {
    const std::lock_guard lock(mutex);
    stream->held_back.push_back({std::move(arrived)});
    stream->held_back.push_back({{}, std::move(until)});
    held_up.insert(stream);
  }
  go_on();
}

void release(Mark& mark) {
  {
    const std::lock_guard lock(mutex);
    mark.reached = true;
  }
  go_on();
}

void synchronize(CUstream_st* stream) {
  stream->copied_unpinned = false;
  std::unique_lock lock(mutex);
  changed.wait(lock, [stream] { return is_free(*stream); });
}

void synchronize(CUevent_st* event) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [event] { return event->mark == nullptr || event->mark->reached; });
}

bool has_come(const CUevent_st* event) {
  return event->mark == nullptr || event->mark->reached;
}

}  // namespace convoy::cuda::emulation
