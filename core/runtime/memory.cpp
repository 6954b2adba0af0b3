#include "core/runtime/memory.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/train/optimizer.hpp"

namespace convoy {
namespace {

// Which buffers operations read or write. Others exist on paper: what fused operations left over.
std::vector<bool> named_buffers(const Plan& plan) {
  std::vector<bool> named(plan.buffers.size(), false);
  for (const auto* section : {&plan.prologue, &plan.body})
    for (const Operation& operation : *section)
      for (const auto* spans : {&operation.reads, &operation.writes})
        for (const PlanSpan& span : *spans) named[span.buffer] = true;
  return named;
}

std::uint64_t MemoryUse::*part_of(const PlanBuffer& buffer) {
  switch (buffer.kind) {
    case CONVOY_BUFFER_PARAMETERS:
    case CONVOY_BUFFER_MASTER:
      return &MemoryUse::parameters;
    case CONVOY_BUFFER_GRADIENT:
      return &MemoryUse::gradients;
    default:
      return &MemoryUse::plan_buffers;
  }
}

}  // namespace

PlanMemory::PlanMemory(const Plan& plan, const Engines& engines, const convoy_optimizer& optimizer,
                       std::uint64_t state_elements)
    : plan_(plan),
      engines_(engines),
      optimizer_(optimizer),
      state_elements_(state_elements),
      use_(plan.cluster->places.size()) {
  const std::vector<bool> named = named_buffers(plan);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer& buffer = plan.buffers[i];
    const std::uint64_t bytes = buffer.count * dtype_bytes(buffer.dtype);
    buffers_.push_back(named[i] ? allocate(buffer.place, bytes, part_of(buffer)) : nullptr);
  }
  for (const auto* section : {&plan.prologue, &plan.body})
    for (const Operation& operation : *section)
      if (operation.kind == OperationKind::kApply)
        for (const PlanSpan& span : operation.writes) add_optimizer_state(span.buffer);
  for (const std::uint32_t place : plan.cluster->replica_place)
    replica_state_.push_back(
        state_elements == 0 ? nullptr
                            : static_cast<float*>(allocate(place, state_elements * sizeof(float),
                                                           &MemoryUse::statistics)));
}

void* PlanMemory::allocate(std::uint32_t place, std::uint64_t bytes, Part part) {
  void* memory = engines_.at(place)->allocate(bytes);
  owned_.emplace_back(memory, Free{engines_[place]});
  use_.at(place).*part += bytes;
  return memory;
}

float PlanMemory::initial_of(std::uint32_t slot) const {
  return static_cast<float>(
      state_initial(static_cast<convoy_optimizer_kind>(optimizer_.kind), slot));
}

void PlanMemory::add_optimizer_state(std::uint32_t buffer) {
  const auto [it, inserted] = optimizer_state_.try_emplace(buffer);
  if (!inserted) return;
  const PlanBuffer& target = plan_.buffers[buffer];
  for (std::uint32_t slot = 0; slot < optimizer_.state_slots; ++slot) {
    auto* state = static_cast<float*>(
        allocate(target.place, target.count * sizeof(float), &MemoryUse::optimizer_state));
    it->second.push_back(state);
    const float initial = initial_of(slot);
    if (initial != 0) write_state(buffer, slot, std::vector<float>(target.count, initial));
  }
}

convoy_region PlanMemory::region(const PlanSpan& span) const {
  const PlanBuffer& buffer = plan_.buffers[span.buffer];
  auto* bytes = static_cast<std::byte*>(buffers_[span.buffer]);
  return {bytes + span.first * dtype_bytes(span.dtype), span.count, span.dtype, buffer.place};
}

float* PlanMemory::optimizer_state(std::uint32_t buffer, std::uint32_t slot) const {
  const std::vector<float*>& slots = optimizer_state_.at(buffer);
  return slot < slots.size() ? slots[slot] : nullptr;
}

void PlanMemory::write_parameters(const std::vector<float>& arena) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const PlanBuffer& buffer = plan_.buffers[i];
    if (buffer.kind != CONVOY_BUFFER_PARAMETERS && buffer.kind != CONVOY_BUFFER_MASTER) continue;
    if (buffers_[i] == nullptr) continue;
    CONVOY_CHECK_EQ(arena.size(), buffer.count);
    engines_[buffer.place]->write(buffers_[i], arena.data(), arena.size() * sizeof(float));
  }
}

std::vector<float> PlanMemory::read_buffer(std::uint32_t buffer) const {
  CONVOY_CHECK_EQ(plan_.buffers.at(buffer).dtype, std::uint32_t{CONVOY_F32});
  std::vector<float> values(plan_.buffers[buffer].count);
  engines_[plan_.buffers[buffer].place]->read(values.data(), buffers_[buffer],
                                              values.size() * sizeof(float));
  return values;
}

void PlanMemory::write_buffer(std::uint32_t buffer, const std::vector<float>& values) {
  CONVOY_CHECK_EQ(values.size(), plan_.buffers.at(buffer).count);
  engines_[plan_.buffers[buffer].place]->write(buffers_[buffer], values.data(),
                                               values.size() * sizeof(float));
}

std::vector<std::byte> PlanMemory::read_bytes(std::uint32_t buffer) const {
  const PlanBuffer& it = plan_.buffers.at(buffer);
  std::vector<std::byte> bytes(it.count * dtype_bytes(it.dtype));
  engines_[it.place]->read(bytes.data(), buffers_[buffer], bytes.size());
  return bytes;
}

void PlanMemory::write_bytes(std::uint32_t buffer, std::span<const std::byte> bytes) {
  const PlanBuffer& it = plan_.buffers.at(buffer);
  CONVOY_CHECK_EQ(bytes.size(), it.count * dtype_bytes(it.dtype));
  engines_[it.place]->write(buffers_[buffer], bytes.data(), bytes.size());
}

void PlanMemory::reset() {
  for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i] == nullptr) continue;
    const PlanBuffer& buffer = plan_.buffers[i];
    write_bytes(i, std::vector<std::byte>(buffer.count * dtype_bytes(buffer.dtype)));
  }
  for (const auto& [buffer, slots] : optimizer_state_)
    for (std::uint32_t slot = 0; slot < slots.size(); ++slot)
      write_state(buffer, slot, std::vector<float>(plan_.buffers[buffer].count, initial_of(slot)));
}

std::vector<float> PlanMemory::read_state(std::uint32_t buffer, std::uint32_t slot) const {
  std::vector<float> values(plan_.buffers[buffer].count);
  engines_[plan_.buffers[buffer].place]->read(values.data(), optimizer_state(buffer, slot),
                                              values.size() * sizeof(float));
  return values;
}

void PlanMemory::write_state(std::uint32_t buffer, std::uint32_t slot,
                             std::span<const float> values) {
  CONVOY_CHECK_EQ(values.size(), plan_.buffers[buffer].count);
  engines_[plan_.buffers[buffer].place]->write(optimizer_state(buffer, slot), values.data(),
                                               values.size_bytes());
}

// Every element from the first update that covers it in program order.
void PlanMemory::take_updated(const Contents& contents, std::vector<float>& result,
                              std::vector<bool>& known) const {
  std::map<std::uint32_t, std::vector<float>> read;
  for (const Operation& operation : plan_.body) {
    if (operation.kind != OperationKind::kApply) continue;
    const PlanSpan& span = operation.writes.front();
    const auto [it, inserted] = read.try_emplace(span.buffer);
    if (inserted) it->second = contents(span.buffer);
    for (std::uint64_t i = span.first; i < span.first + span.count; ++i) {
      if (!known[i]) result[i] = it->second[i];
      known[i] = true;
    }
  }
}

std::vector<float> PlanMemory::read_parameters() const {
  std::vector<float> result(plan_.arena->elements);
  std::vector<bool> known(result.size(), false);
  take_updated([this](std::uint32_t buffer) { return read_buffer(buffer); }, result, known);
  if (std::ranges::find(known, false) == known.end()) return result;
  for (std::uint32_t i = 0; i < plan_.buffers.size(); ++i) {
    if (plan_.buffers[i].kind != CONVOY_BUFFER_PARAMETERS || plan_.buffers[i].owner != 0) continue;
    const std::vector<float> values = read_buffer(i);
    for (std::size_t e = 0; e < result.size(); ++e)
      if (!known[e]) result[e] = values[e];
    break;
  }
  return result;
}

std::vector<float> PlanMemory::read_optimizer_state(std::uint32_t slot) const {
  std::vector<float> result(plan_.arena->elements, initial_of(slot));
  std::vector<bool> known(result.size(), false);
  take_updated([&](std::uint32_t buffer) { return read_state(buffer, slot); }, result, known);
  return result;
}

void PlanMemory::write_optimizer_state(std::uint32_t slot, const std::vector<float>& arena) {
  for (const auto& [buffer, slots] : optimizer_state_) write_state(buffer, slot, arena);
}

void PlanMemory::write_replica_state(const std::vector<float>& values) {
  for (std::uint32_t replica = 0; replica < replica_state_.size(); ++replica)
    if (replica_state_[replica] != nullptr) write_replica_state(replica, values);
}

void PlanMemory::write_replica_state(std::uint32_t replica, std::span<const float> values) {
  CONVOY_CHECK_EQ(values.size(), state_elements_);
  engines_[plan_.cluster->replica_place[replica]]->write(replica_state_.at(replica), values.data(),
                                                         values.size_bytes());
}

std::vector<float> PlanMemory::read_replica_state(std::uint32_t replica) const {
  std::vector<float> values(state_elements_);
  if (values.empty()) return values;
  engines_[plan_.cluster->replica_place[replica]]->read(values.data(), replica_state_[replica],
                                                        values.size() * sizeof(float));
  return values;
}

}  // namespace convoy
