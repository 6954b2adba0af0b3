#include "core/conformance/mirrored_memory.hpp"

#include <stdexcept>

#include "core/plan/operation.hpp"

namespace convoy::conformance {
namespace {

std::uint64_t bytes_of(const convoy_region& region) {
  return plan::dtype_bytes(region.dtype) * region.count;
}

}  // namespace

MirroredMemory::~MirroredMemory() {
  for (const auto& [host, mirror] : mirrors_) functions_.deallocate(mirror.there);
}

void* MirroredMemory::there(const void* host, std::uint64_t bytes) {
  if (host == nullptr) return nullptr;
  Mirror& mirror = mirrors_[host];
  if (mirror.there == nullptr) {
    mirror = {functions_.allocate(bytes), bytes};
    functions_.write(mirror.there, host, bytes);
  }
  if (mirror.bytes < bytes) throw std::logic_error("memory of two sizes in one operation");
  return mirror.there;
}

void* MirroredMemory::known_there(const void* host) {
  if (host == nullptr) return nullptr;
  const auto known = known_.find(host);
  if (known == known_.end()) throw std::logic_error("an operation on memory of unknown size");
  return there(host, known->second);
}

std::vector<convoy_region> MirroredMemory::regions(const convoy_region* all, std::uint64_t count) {
  std::vector<convoy_region> result(all, all + count);
  for (convoy_region& region : result) region.data = there(region.data, bytes_of(region));
  return result;
}

// Copies everything back. Memory that was only read is unchanged.
void MirroredMemory::back() {
  for (const auto& [host, mirror] : mirrors_) {
    functions_.read(const_cast<void*>(host), mirror.there, mirror.bytes);
    functions_.deallocate(mirror.there);
  }
  mirrors_.clear();
}

void MirroredMemory::run(const convoy_submission& submission,
                         const std::function<void(const convoy_submission&)>& run_there) {
  convoy_submission it = submission;
  const std::vector<convoy_region> reads = regions(it.reads, it.read_count);
  const std::vector<convoy_region> writes = regions(it.writes, it.write_count);
  it.reads = reads.data();
  it.writes = writes.data();
  std::vector<convoy_update> updates(it.kind == CONVOY_OP_APPLY ? it.update_count : 0);
  std::vector<const convoy_update*> update_pointers;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    updates[i] = *it.updates[i];
    for (float*& state : updates[i].state)
      state = static_cast<float*>(there(state, bytes_of(it.writes[i])));
    update_pointers.push_back(&updates[i]);
  }
  if (!updates.empty()) it.updates = update_pointers.data();
  convoy_compute compute{};
  if (it.compute != nullptr) {
    compute = *it.compute;
    compute.parameters = static_cast<const float*>(known_there(compute.parameters));
    compute.gradients = static_cast<float*>(known_there(compute.gradients));
    compute.state = static_cast<float*>(known_there(compute.state));
    compute.loss_scale = static_cast<const float*>(there(compute.loss_scale, sizeof(float)));
    it.compute = &compute;
  }
  run_there(it);
  back();
}

}  // namespace convoy::conformance
