#include "core/runtime/memory.hpp"

#include "core/base/error.hpp"
#include "core/train/optimizer.hpp"

namespace convoy {

PlanMemory::PlanMemory(const Plan& plan, const Engines& engines, const convoy_optimizer& optimizer,
                       std::uint64_t state_elements)
    : plan_(plan), engines_(engines), state_elements_(state_elements) {
  for (const PlanBuffer& buffer : plan.buffers)
    buffers_.push_back(allocate(buffer.place, buffer.count * dtype_bytes(buffer.dtype)));
  for (const auto* section : {&plan.prologue, &plan.body})
    for (const Operation& operation : *section)
      if (operation.kind == OperationKind::kApply)
        add_optimizer_state(operation.writes.front().buffer, optimizer);
  for (const std::uint32_t place : plan.cluster->replica_place)
    replica_state_.push_back(
        state_elements == 0 ? nullptr
                            : static_cast<float*>(allocate(place, state_elements * sizeof(float))));
}

void* PlanMemory::allocate(std::uint32_t place, std::uint64_t bytes) {
  void* memory = engines_.at(place)->allocate(bytes);
  owned_.emplace_back(memory, Free{engines_[place]});
  bytes_ += bytes;
  return memory;
}

void PlanMemory::add_optimizer_state(std::uint32_t buffer, const convoy_optimizer& optimizer) {
  const auto [it, inserted] = optimizer_state_.try_emplace(buffer);
  if (!inserted) return;
  const PlanBuffer& target = plan_.buffers[buffer];
  const auto kind = static_cast<convoy_optimizer_kind>(optimizer.kind);
  for (std::uint32_t slot = 0; slot < optimizer.state_slots; ++slot) {
    auto* state = static_cast<float*>(allocate(target.place, target.count * sizeof(float)));
    const auto initial = static_cast<float>(state_initial(kind, slot));
    if (initial != 0) {
      const std::vector<float> values(target.count, initial);
      engines_[target.place]->write(state, values.data(), values.size() * sizeof(float));
    }
    it->second.push_back(state);
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

std::vector<float> PlanMemory::read_parameters() const {
  std::vector<float> result(plan_.arena->elements);
  std::vector<bool> known(result.size(), false);
  std::map<std::uint32_t, std::vector<float>> contents;
  const auto take = [&](std::uint32_t buffer, std::uint64_t first, std::uint64_t count) {
    const auto [it, inserted] = contents.try_emplace(buffer);
    if (inserted) it->second = read_buffer(buffer);
    for (std::uint64_t i = first; i < first + count; ++i) {
      if (!known[i]) result[i] = it->second[i];
      known[i] = true;
    }
  };
  for (const Operation& operation : plan_.body) {
    if (operation.kind != OperationKind::kApply) continue;
    const PlanSpan& span = operation.writes.front();
    take(span.buffer, span.first, span.count);
  }
  for (std::uint32_t i = 0; i < plan_.buffers.size(); ++i)
    if (plan_.buffers[i].kind == CONVOY_BUFFER_PARAMETERS && plan_.buffers[i].owner == 0)
      take(i, 0, result.size());
  return result;
}

void PlanMemory::write_replica_state(const std::vector<float>& values) {
  for (std::size_t replica = 0; replica < replica_state_.size(); ++replica) {
    if (replica_state_[replica] == nullptr) continue;
    CONVOY_CHECK_EQ(values.size(), state_elements_);
    engines_[plan_.cluster->replica_place[replica]]->write(replica_state_[replica], values.data(),
                                                           values.size() * sizeof(float));
  }
}

std::vector<float> PlanMemory::read_replica_state(std::uint32_t replica) const {
  std::vector<float> values(state_elements_);
  if (values.empty()) return values;
  engines_[plan_.cluster->replica_place[replica]]->read(values.data(), replica_state_[replica],
                                                        values.size() * sizeof(float));
  return values;
}

}  // namespace convoy
