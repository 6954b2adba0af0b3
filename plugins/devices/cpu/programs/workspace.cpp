#include "plugins/devices/cpu/programs/workspace.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "plugins/devices/shared/place_by_lifetime.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kPage = 4096;  // also keeps buffers from sharing a page across cores

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

Workspace::Id Workspace::add(std::size_t bytes) {
  buffers_.push_back({whole_pages(std::max<std::size_t>(bytes, 1)),
                      std::numeric_limits<std::size_t>::max(), 0, 0});
  return buffers_.size() - 1;
}

void Workspace::use(Id id, std::size_t time) {
  buffers_[id].first = std::min(buffers_[id].first, time);
  buffers_[id].last = std::max(buffers_[id].last, time);
}

dnnl::memory Workspace::memory(const Desc& desc, Id id) {
  dnnl::memory memory(desc, engine_, DNNL_MEMORY_NONE);
  memories_.emplace_back(memory, id);
  return memory;
}

dnnl::memory Workspace::view(const dnnl::memory& viewed, const Desc& desc) {
  for (const auto& [known, id] : memories_) {
    if (known.get() == viewed.get()) return memory(desc, id);
  }
  throw std::logic_error("a view of memory that is not in the workspace");
}

dnnl::memory Workspace::scratchpad(const Desc& desc) {
  dnnl::memory memory(desc, engine_, DNNL_MEMORY_NONE);
  scratchpad_bytes_ = std::max(scratchpad_bytes_, desc.get_size());
  scratchpads_.push_back(memory);
  return memory;
}

void Workspace::allocate() {
  std::vector<std::size_t> all(buffers_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  bytes_ = place_by_lifetime(buffers_, std::move(all));
  const std::size_t total = bytes_ + whole_pages(scratchpad_bytes_) + kPage;
  storage_ = zeroed_memory(total);
  char* const start = static_cast<char*>(storage_.get());
  for (auto& [memory, id] : memories_) memory.set_data_handle(start + buffers_[id].offset);
  for (dnnl::memory& memory : scratchpads_) memory.set_data_handle(start + bytes_);
}

}  // namespace convoy::cpu
