#include "plugins/devices/cuda/programs/pinned_labels.hpp"

#include <algorithm>
#include <utility>

#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {

// Two buffers are in use if the host is a step ahead.
PinnedLabels::PinnedLabels(StreamDriver& streams, std::size_t count, Allocate allocate)
    : streams_(streams), count_(count), allocate_(std::move(allocate)) {
  for (int i = 0; i < 2; ++i) buffers_.push_back({allocate_()});
}

PinnedLabels::~PinnedLabels() {
  for (const Buffer& buffer : buffers_)
    if (buffer.copied != nullptr) streams_.give_back(buffer.copied);
}

PinnedLabels::Buffer& PinnedLabels::free_buffer() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    now_ = (now_ + 1) % buffers_.size();
    Buffer& buffer = buffers_[now_];
    if (buffer.copied == nullptr) return buffer;
    if (!streams_.reached(buffer.copied)) continue;
    streams_.give_back(std::exchange(buffer.copied, nullptr));
    return buffer;
  }
  now_ = buffers_.size();
  return buffers_.emplace_back(Buffer{allocate_()});
}

const std::int32_t* PinnedLabels::hold(const std::int32_t* labels) {
  std::int32_t* const memory = free_buffer().memory.get();
  std::copy_n(labels, count_, memory);
  return memory;
}

void PinnedLabels::copied() {
  buffers_[now_].copied = streams_.record(kInputStream);
}

PinnedLabels::Allocate pinned_labels(std::size_t count) {
  return [count] {
    void* memory = nullptr;
    const std::size_t bytes = count * sizeof(std::int32_t);
    require_host_memory(allocate_pinned(&memory, bytes), bytes);
    return std::shared_ptr<std::int32_t[]>(
        static_cast<std::int32_t*>(memory),
        [](std::int32_t* labels) { static_cast<void>(free_pinned(labels)); });
  };
}

}  // namespace convoy::cuda
