#pragma once

#include <convoy/abi.h>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/plugin/device_plugin.hpp"

namespace convoy {

// Which open device runs a place's operations and owns its memory.
using Engines = std::vector<OpenDevice*>;

// Bytes in one place, by what they are for.
struct MemoryUse {
  std::uint64_t parameters = 0;  // of replicas and masters
  std::uint64_t gradients = 0;
  std::uint64_t optimizer_state = 0;
  std::uint64_t plan_buffers = 0;  // scratch and persistent ones, staging included
  std::uint64_t statistics = 0;    // of batch norm
  // Of compiled layers; 0 when the device does not say.
  std::uint64_t activations = 0;
  std::uint64_t scratch = 0;
};

// The memory of one lowered plan: those of its buffers that an operation names, optimizer state
// beside every buffer that an apply updates, and batch norm statistics per replica. All of it is
// allocated here, near its place, before the first step; nothing is allocated later.
class PlanMemory {
 public:
  PlanMemory(const Plan& plan, const Engines& engines, const convoy_optimizer& optimizer,
             std::uint64_t state_elements);
  PlanMemory(const PlanMemory&) = delete;
  PlanMemory& operator=(const PlanMemory&) = delete;

  // The memory that a span names.
  convoy_region region(const PlanSpan& span) const;
  float* base(std::uint32_t buffer) const { return static_cast<float*>(buffers_.at(buffer)); }
  // Optimizer state of an updated buffer, in its index space; nullptr for a slot it does not have.
  float* optimizer_state(std::uint32_t buffer, std::uint32_t slot) const;
  // Moving statistics of a replica; nullptr when the model has none.
  float* replica_state(std::uint32_t replica) const { return replica_state_.at(replica); }
  // Per place of the cluster.
  const std::vector<MemoryUse>& use() const { return use_; }

  // Copies the same values into every parameters and master buffer: all replicas start alike.
  void write_parameters(const std::vector<float>& arena);
  // The parameters after the last update: every element as the first update that covers it in
  // program order left it (a master's, or a replica's own), else as replica 0 holds it.
  std::vector<float> read_parameters() const;
  // A buffer of f32.
  std::vector<float> read_buffer(std::uint32_t buffer) const;
  void write_buffer(std::uint32_t buffer, const std::vector<float>& values);
  // A buffer of any dtype.
  std::vector<std::byte> read_bytes(std::uint32_t buffer) const;
  void write_bytes(std::uint32_t buffer, std::span<const std::byte> bytes);

  // Everything as it was before the first step, but for parameters and masters, which are zero.
  void reset();
  // Slots of optimizer state per updated buffer.
  std::uint32_t state_slots() const { return optimizer_.state_slots; }
  // One slot beside one updated buffer, in its index space.
  std::vector<float> read_state(std::uint32_t buffer, std::uint32_t slot) const;
  void write_state(std::uint32_t buffer, std::uint32_t slot, std::span<const float> values);
  // One slot as belongs to read_parameters(): of the first update that covers an element, the
  // slot's initial value where none does.
  std::vector<float> read_optimizer_state(std::uint32_t slot) const;
  // Copies the same values beside every updated buffer.
  void write_optimizer_state(std::uint32_t slot, const std::vector<float>& arena);
  void write_replica_state(const std::vector<float>& values);
  void write_replica_state(std::uint32_t replica, std::span<const float> values);
  std::vector<float> read_replica_state(std::uint32_t replica) const;

 private:
  struct Free {
    OpenDevice* device;
    void operator()(void* memory) const { device->deallocate(memory); }
  };
  using Allocation = std::unique_ptr<void, Free>;

  using Part = std::uint64_t MemoryUse::*;

  void* allocate(std::uint32_t place, std::uint64_t bytes, Part part);
  void add_optimizer_state(std::uint32_t buffer);
  float initial_of(std::uint32_t slot) const;
  using Contents = std::function<std::vector<float>(std::uint32_t buffer)>;
  void take_updated(const Contents& contents, std::vector<float>& result,
                    std::vector<bool>& known) const;

  const Plan& plan_;
  Engines engines_;
  convoy_optimizer optimizer_;
  std::uint64_t state_elements_;
  std::vector<MemoryUse> use_;
  std::vector<Allocation> owned_;
  std::vector<void*> buffers_;
  std::map<std::uint32_t, std::vector<float*>> optimizer_state_;
  std::vector<float*> replica_state_;
};

}  // namespace convoy
