#include "plugins/devices/cuda/lanes/cuda_streams.hpp"

#include <chrono>
#include <limits>
#include <utility>

#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {
namespace {

// Times between events are float milliseconds: beyond this many seconds, they lose microseconds.
constexpr double kLongestSpan = 4.0;
constexpr int kBaseTries = 16;  // attempts to find the time of an event on the host's clock

}  // namespace

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

CudaStreams::CudaStreams(int gpu) : gpu_(gpu) {
  require(cudaSetDevice(gpu_), "choosing the GPU");
  int lowest = 0;
  int highest = 0;
  require(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "asking for stream priorities");
  for (std::size_t lane = 0; lane < kStreams; ++lane) {
    const int priority = lane == CONVOY_LANE_COMPUTE ? lowest : highest;
    require(cudaStreamCreateWithPriority(&streams_[lane], cudaStreamNonBlocking, priority),
            "creating a stream");
  }
  require(cudaEventCreate(&base_), "creating an event");
  all_.push_back(base_);
  set_base();
}

// Ignores errors.
CudaStreams::~CudaStreams() {
  static_cast<void>(cudaSetDevice(gpu_));
  for (cudaEvent_t event : all_) static_cast<void>(cudaEventDestroy(event));
  for (cudaStream_t stream : streams_) static_cast<void>(cudaStreamDestroy(stream));
}

// The event happens between two readings of the clock. Something else may delay one of them, so the
// attempt with the closest readings counts.
void CudaStreams::set_base() {
  cudaEvent_t spare = nullptr;
  require(cudaEventCreate(&spare), "creating an event");
  all_.push_back(spare);
  double closest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kBaseTries; ++i) {
    const double before = now_seconds();
    require(cudaEventRecord(spare, streams_[CONVOY_LANE_COMPUTE]), "recording an event");
    require(cudaEventSynchronize(spare), "waiting for the GPU");
    const double after = now_seconds();
    if (after - before >= closest) continue;
    closest = after - before;
    base_seconds_ = before + closest / 2;
    std::swap(base_, spare);
  }
  free_.push_back(spare);
}

void CudaStreams::begin_thread() {
  require(cudaSetDevice(gpu_), "choosing the GPU");
}

cudaEvent_t CudaStreams::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    cudaEvent_t event = nullptr;
    require(cudaEventCreate(&event), "creating an event");
    all_.push_back(event);
    return event;
  }
  cudaEvent_t event = free_.back();
  free_.pop_back();
  return event;
}

StreamDriver::Event CudaStreams::record(std::uint32_t lane) {
  cudaEvent_t event = take();
  require(cudaEventRecord(event, streams_.at(lane)), "recording an event");
  return event;
}

void CudaStreams::wait(std::uint32_t lane, Event event) {
  require(cudaStreamWaitEvent(streams_.at(lane), static_cast<cudaEvent_t>(event), 0),
          "letting a stream wait");
}

bool CudaStreams::reached(Event event) {
  const cudaError_t status = cudaEventQuery(static_cast<cudaEvent_t>(event));
  if (status == cudaErrorNotReady) return false;
  require(status, "running operations on the GPU");
  return true;
}

double CudaStreams::time(Event event) {
  const std::lock_guard lock(mutex_);
  auto* reached_event = static_cast<cudaEvent_t>(event);
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, base_, reached_event), "reading an event's time");
  const double since = static_cast<double>(milliseconds) * 1e-3;
  if (since > kLongestSpan) next_base_ = {reached_event, base_seconds_ + since};
  return base_seconds_ + since;
}

std::optional<double> CudaStreams::marked_time(Event mark) {
  const std::lock_guard lock(mutex_);
  float milliseconds = 0;
  if (cudaEventElapsedTime(&milliseconds, base_, static_cast<cudaEvent_t>(mark)) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return std::nullopt;
  }
  return base_seconds_ + static_cast<double>(milliseconds) * 1e-3;
}

void CudaStreams::give_back(Event event) {
  const std::lock_guard lock(mutex_);
  auto* returned = static_cast<cudaEvent_t>(event);
  if (next_base_.event == returned) {
    base_seconds_ = next_base_.seconds;
    std::swap(base_, returned);
    next_base_ = {};
  }
  free_.push_back(returned);
}

}  // namespace convoy::cuda
