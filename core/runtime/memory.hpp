#pragma once

#include <convoy/abi.h>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/base/process/memory_use.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/update_counts.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/runtime/stored_elements.hpp"

namespace convoy::runtime {

// The open device that runs a place's operations and owns its memory. Null for places of other
// hosts, which have no memory here.
using Engines = std::vector<plugin::OpenDevice*>;

// The memory of one lowered plan: the elements of its buffers that an operation names, the
// optimizer state of the elements that updates change, and batch norm statistics per replica. All
// of it is allocated here, near its place, before the first step. Elements without memory read as
// zeros; writes to them are ignored.
class PlanMemory {
 public:
  PlanMemory(const plan::Plan& plan, const Engines& engines, const convoy_optimizer& optimizer,
             std::uint64_t state_elements);
  PlanMemory(const PlanMemory&) = delete;
  PlanMemory& operator=(const PlanMemory&) = delete;

  // The memory that a span names. Invariant: all of it has memory.
  convoy_region region(const plan::PlanSpan& span) const;
  // The start of a buffer that has memory for all its elements.
  float* base(std::uint32_t buffer) const;
  // The elements of a buffer that have memory.
  const StoredElements& stored(std::uint32_t buffer) const { return blocks_.at(buffer).elements; }
  // Optimizer state of elements that an update changes; nullptr if the slot does not exist.
  float* optimizer_state(const plan::PlanSpan& span, std::uint32_t slot) const;
  // Moving statistics of a replica; nullptr when the model has none, or
  // the replica is another host's.
  float* replica_state(std::uint32_t replica) const { return replica_state_.at(replica); }
  // The memory in use, per place of the cluster.
  const std::vector<MemoryUse>& use() const { return use_; }

  // Copies the same values into every parameters and master buffer, so that all replicas start with
  // them. `values` belong to the arena from element `first` on.
  void write_parameters(std::uint64_t first, std::span<const float> values);
  void write_parameters(std::span<const float> arena) { write_parameters(0, arena); }
  // From now on read_parameters() and the related functions read the memory that this stage of the
  // whole plan updates. Before any call, they read that of the first stage.
  void hold_values_as(const plan::Plan& stage);
  // The parameters after the last update. Each element comes from the first update in program order
  // that covers it (of a master, or of a replica's own parameters), otherwise from replica 0.
  void read_parameters(const plan::ElementRange& range, float* values) const;
  std::vector<float> read_parameters(const plan::ElementRange& range) const;
  std::vector<float> read_parameters() const { return read_parameters(whole_arena()); }
  // The pieces that read_parameters() and read_optimizer_state() read, in ascending order, the same
  // on all hosts. They do not change the pieces of other hosts, or leave them 0.
  struct HeldRange {
    plan::ElementRange range;
    std::uint32_t host;
  };
  std::vector<HeldRange> holders(const plan::ElementRange& range) const;
  // A buffer of f32.
  std::vector<float> read_buffer(std::uint32_t buffer) const;
  void write_buffer(std::uint32_t buffer, const std::vector<float>& values);
  // A range of a buffer of any dtype.
  std::vector<std::byte> read_bytes(std::uint32_t buffer, const plan::ElementRange& range) const;
  void write_bytes(std::uint32_t buffer, std::span<const std::byte> bytes);

  // Resets all memory to its state before the first step, except that parameters and masters are
  // zero.
  void reset();
  // Slots of optimizer state per updated buffer.
  std::uint32_t state_slots() const { return optimizer_.state_slots; }
  // Returns a slot's value before the first update.
  float initial_of(std::uint32_t slot) const;
  // Reads one slot of the state that belongs to one updated buffer, in the buffer's index space.
  std::vector<float> read_state(std::uint32_t buffer, std::uint32_t slot,
                                const plan::ElementRange& range) const;
  void write_state(std::uint32_t buffer, std::uint32_t slot, std::span<const float> values);
  // Reads one slot of the state that belongs to read_parameters(): the state of the first update
  // that covers an element, or the slot's initial value if there is none.
  std::vector<float> read_optimizer_state(std::uint32_t slot,
                                          const plan::ElementRange& range) const;
  // Copies the same values beside every updated buffer, from element `first` of the arena on.
  void write_optimizer_state(std::uint32_t slot, std::uint64_t first,
                             std::span<const float> values);
  // The number of updates that the optimizer's state has received.
  plan::UpdateCounts& update_counts() { return update_counts_; }
  const plan::UpdateCounts& update_counts() const { return update_counts_; }
  void write_replica_state(const std::vector<float>& values);
  void write_replica_state(std::uint32_t replica, std::span<const float> values);
  std::vector<float> read_replica_state(std::uint32_t replica) const;

 private:
  struct Free {
    plugin::OpenDevice* device;
    void operator()(void* memory) const { device->deallocate(memory); }
  };
  using Allocation = std::unique_ptr<void, Free>;
  using Part = std::uint64_t MemoryUse::*;

  // Memory for elements of an index space.
  struct Block {
    StoredElements elements;
    std::uint64_t element_bytes;
    plugin::OpenDevice* device;
    std::byte* memory;  // nullptr when nothing is stored
  };
  // A range of the arena and the update that writes it first.
  struct Owner {
    plan::ElementRange range;
    std::uint32_t buffer;
  };

  void* allocate(std::uint32_t place, std::uint64_t bytes, Part part);
  Block make_block(std::uint32_t place, const StoredElements& elements, std::uint64_t element_bytes,
                   Part part);
  void allocate_optimizer_state();
  plan::ElementRange whole_arena() const { return {0, plan_.arena->elements}; }
  static std::byte* address(const Block& block, const plan::ElementRange& range);
  // Copies the stored elements of `range` to `values`.
  static void read_block(const Block& block, const plan::ElementRange& range, void* values);
  static void write_block(const Block& block, const plan::ElementRange& range, const void* values);
  static void fill_block(const Block& block, float value);
  const Block& state_block(std::uint32_t buffer, std::uint32_t slot) const;
  // Returns nullptr for buffers that are not read.
  using BlockOf = std::function<const Block*(std::uint32_t buffer)>;
  void read_owned(const plan::ElementRange& range, const BlockOf& block, float* values) const;

  const plan::Plan& plan_;
  Engines engines_;
  convoy_optimizer optimizer_;
  std::uint64_t state_elements_;
  std::vector<MemoryUse> use_;
  std::vector<Allocation> owned_;
  std::vector<Block> blocks_;  // per buffer
  std::map<std::uint32_t, std::vector<Block>> optimizer_state_;
  plan::UpdateCounts update_counts_;
  std::vector<Owner> owners_;  // disjoint, ascending
  std::vector<float*> replica_state_;
};

}  // namespace convoy::runtime
