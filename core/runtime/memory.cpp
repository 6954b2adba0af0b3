#include "core/runtime/memory.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/plan/range_set.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::runtime {
namespace {

std::uint64_t MemoryUse::*part_of(const plan::PlanBuffer& buffer) {
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

PlanMemory::PlanMemory(const plan::Plan& plan, const Engines& engines,
                       const convoy_optimizer& optimizer, std::uint64_t state_elements)
    : plan_(plan),
      engines_(engines),
      optimizer_(optimizer),
      state_elements_(state_elements),
      use_(plan.cluster->places.size()),
      update_counts_(plan) {
  const std::vector<StoredElements> named = named_elements(plan);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const plan::PlanBuffer& buffer = plan.buffers[i];
    blocks_.push_back(
        make_block(buffer.place, named[i], plan::dtype_bytes(buffer.dtype), part_of(buffer)));
  }
  allocate_optimizer_state();
  hold_values_as(plan);
  for (const std::uint32_t place : plan.cluster->replica_place)
    replica_state_.push_back(
        state_elements == 0 || engines_.at(place) == nullptr
            ? nullptr
            : static_cast<float*>(
                  allocate(place, state_elements * sizeof(float), &MemoryUse::statistics)));
}

void* PlanMemory::allocate(std::uint32_t place, std::uint64_t bytes, Part part) {
  const bool of_host = plan_.cluster->places.at(place).kind == CONVOY_PLACE_HOST;
  plugin::OpenDevice& engine = *engines_.at(place);
  void* memory = of_host ? engine.allocate_host(bytes) : engine.allocate(bytes);
  owned_.emplace_back(memory, Free{engines_[place]});
  use_.at(place).*part += bytes;
  return memory;
}

PlanMemory::Block PlanMemory::make_block(std::uint32_t place, const StoredElements& elements,
                                         std::uint64_t element_bytes, Part part) {
  // Buffers of other hosts have no memory here.
  if (engines_.at(place) == nullptr) return {StoredElements({}), element_bytes, nullptr, nullptr};
  void* memory =
      elements.empty() ? nullptr : allocate(place, elements.count() * element_bytes, part);
  return {elements, element_bytes, engines_.at(place), static_cast<std::byte*>(memory)};
}

float PlanMemory::initial_of(std::uint32_t slot) const {
  return static_cast<float>(
      train::state_initial(static_cast<convoy_optimizer_kind>(optimizer_.kind), slot));
}

void PlanMemory::allocate_optimizer_state() {
  const std::vector<StoredElements> updated = updated_elements(plan_);
  for (std::uint32_t buffer = 0; buffer < updated.size(); ++buffer) {
    if (updated[buffer].empty()) continue;
    std::vector<Block>& slots = optimizer_state_[buffer];
    for (std::uint32_t slot = 0; slot < optimizer_.state_slots; ++slot) {
      slots.push_back(make_block(plan_.buffers[buffer].place, updated[buffer], sizeof(float),
                                 &MemoryUse::optimizer_state));
      if (initial_of(slot) != 0) fill_block(slots.back(), initial_of(slot));
    }
  }
}

// Each element belongs to the first update in program order that covers it.
void PlanMemory::hold_values_as(const plan::Plan& stage) {
  owners_.clear();
  plan::RangeSet known;
  for (const plan::Operation& operation : stage.body) {
    if (operation.kind != plan::OperationKind::kApply) continue;
    const plan::PlanSpan& span = operation.writes.front();
    known.for_each_gap(plan::range_of(span), [&](const plan::ElementRange& range) {
      owners_.push_back({range, span.buffer});
    });
    if (span.count > 0) known.add(plan::range_of(span));
  }
  const auto of_replica = std::ranges::find_if(plan_.buffers, [](const plan::PlanBuffer& buffer) {
    return buffer.kind == CONVOY_BUFFER_PARAMETERS && buffer.owner == 0;
  });
  if (of_replica != plan_.buffers.end()) {
    const auto buffer = static_cast<std::uint32_t>(of_replica - plan_.buffers.begin());
    known.for_each_gap(whole_arena(), [&](const plan::ElementRange& range) {
      owners_.push_back({range, buffer});
    });
  }
  std::ranges::sort(owners_, {}, [](const Owner& owner) { return owner.range.first; });
}

std::byte* PlanMemory::address(const Block& block, const plan::ElementRange& range) {
  return block.memory + block.elements.offset(range) * block.element_bytes;
}

convoy_region PlanMemory::region(const plan::PlanSpan& span) const {
  const Block& block = blocks_.at(span.buffer);
  return {address(block, plan::range_of(span)), span.count, span.dtype, plan_.place_of(span)};
}

float* PlanMemory::base(std::uint32_t buffer) const {
  return reinterpret_cast<float*>(address(blocks_.at(buffer), {0, plan_.buffers[buffer].count}));
}

const PlanMemory::Block& PlanMemory::state_block(std::uint32_t buffer, std::uint32_t slot) const {
  return optimizer_state_.at(buffer).at(slot);
}

float* PlanMemory::optimizer_state(const plan::PlanSpan& span, std::uint32_t slot) const {
  const std::vector<Block>& slots = optimizer_state_.at(span.buffer);
  if (slot >= slots.size()) return nullptr;
  return reinterpret_cast<float*>(address(slots[slot], plan::range_of(span)));
}

void PlanMemory::read_block(const Block& block, const plan::ElementRange& range, void* values) {
  for (const StoredElements::Part& part : block.elements.parts_in(range)) {
    auto* to =
        static_cast<std::byte*>(values) + (part.range.first - range.first) * block.element_bytes;
    block.device->read(to, block.memory + part.offset * block.element_bytes,
                       part.range.count * block.element_bytes);
  }
}

void PlanMemory::write_block(const Block& block, const plan::ElementRange& range,
                             const void* values) {
  for (const StoredElements::Part& part : block.elements.parts_in(range)) {
    const auto* from = static_cast<const std::byte*>(values) +
                       (part.range.first - range.first) * block.element_bytes;
    block.device->write(block.memory + part.offset * block.element_bytes, from,
                        part.range.count * block.element_bytes);
  }
}

// Fills in pieces, because the memory may be as large as the model.
void PlanMemory::fill_block(const Block& block, float value) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  const std::vector<float> piece(std::min(kPiece, block.elements.count()), value);
  const std::uint64_t bytes = block.elements.count() * block.element_bytes;
  for (std::uint64_t at = 0; at < bytes; at += piece.size() * sizeof(float))
    block.device->write(block.memory + at, piece.data(),
                        std::min(bytes - at, piece.size() * sizeof(float)));
}

void PlanMemory::write_parameters(std::uint64_t first, std::span<const float> values) {
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (plan_.buffers[i].is_of_model())
      write_block(blocks_[i], {first, values.size()}, values.data());
}

std::vector<float> PlanMemory::read_buffer(std::uint32_t buffer) const {
  CONVOY_CHECK_EQ(plan_.buffers.at(buffer).dtype, std::uint32_t{CONVOY_F32});
  std::vector<float> values(plan_.buffers[buffer].count);
  read_block(blocks_[buffer], {0, values.size()}, values.data());
  return values;
}

void PlanMemory::write_buffer(std::uint32_t buffer, const std::vector<float>& values) {
  write_bytes(buffer, std::as_bytes(std::span(values)));
}

std::vector<std::byte> PlanMemory::read_bytes(std::uint32_t buffer,
                                              const plan::ElementRange& range) const {
  const Block& block = blocks_.at(buffer);
  std::vector<std::byte> bytes(range.count * block.element_bytes);
  read_block(block, range, bytes.data());
  return bytes;
}

void PlanMemory::write_bytes(std::uint32_t buffer, std::span<const std::byte> bytes) {
  const plan::PlanBuffer& it = plan_.buffers.at(buffer);
  CONVOY_CHECK_EQ(bytes.size(), it.count * plan::dtype_bytes(it.dtype));
  write_block(blocks_[buffer], {0, it.count}, bytes.data());
}

void PlanMemory::reset() {
  for (const Block& block : blocks_) fill_block(block, 0);
  for (const auto& [buffer, slots] : optimizer_state_)
    for (std::uint32_t slot = 0; slot < slots.size(); ++slot)
      fill_block(slots[slot], initial_of(slot));
  update_counts_.fill(0);
}

std::vector<float> PlanMemory::read_state(std::uint32_t buffer, std::uint32_t slot,
                                          const plan::ElementRange& range) const {
  std::vector<float> values(range.count);
  read_block(state_block(buffer, slot), range, values.data());
  return values;
}

void PlanMemory::write_state(std::uint32_t buffer, std::uint32_t slot,
                             std::span<const float> values) {
  CONVOY_CHECK_EQ(values.size(), plan_.buffers[buffer].count);
  write_block(state_block(buffer, slot), {0, values.size()}, values.data());
}

void PlanMemory::read_owned(const plan::ElementRange& range, const BlockOf& block,
                            float* values) const {
  for (const Owner& owner : owners_) {
    const plan::ElementRange owned = plan::common(range, owner.range);
    const Block* from = owned.count > 0 ? block(owner.buffer) : nullptr;
    if (from != nullptr) read_block(*from, owned, values + (owned.first - range.first));
  }
}

std::vector<PlanMemory::HeldRange> PlanMemory::holders(const plan::ElementRange& range) const {
  std::vector<HeldRange> result;
  for (const Owner& owner : owners_) {
    const plan::ElementRange held = plan::common(range, owner.range);
    const plan::Place& place = plan_.cluster->places[plan_.buffers[owner.buffer].place];
    if (held.count > 0) result.push_back({held, place.host});
  }
  return result;
}

void PlanMemory::read_parameters(const plan::ElementRange& range, float* values) const {
  const auto block = [this](std::uint32_t buffer) { return &blocks_[buffer]; };
  read_owned(range, block, values);
}

std::vector<float> PlanMemory::read_parameters(const plan::ElementRange& range) const {
  std::vector<float> result(range.count);
  read_parameters(range, result.data());
  return result;
}

std::vector<float> PlanMemory::read_optimizer_state(std::uint32_t slot,
                                                    const plan::ElementRange& range) const {
  std::vector<float> result(range.count, initial_of(slot));
  const auto block = [&](std::uint32_t buffer) {
    return optimizer_state_.contains(buffer) ? &state_block(buffer, slot) : nullptr;
  };
  read_owned(range, block, result.data());
  return result;
}

void PlanMemory::write_optimizer_state(std::uint32_t slot, std::uint64_t first,
                                       std::span<const float> values) {
  for (const auto& [buffer, slots] : optimizer_state_)
    write_block(slots.at(slot), {first, values.size()}, values.data());
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
  if (values.empty() || replica_state_.at(replica) == nullptr) return values;
  engines_[plan_.cluster->replica_place[replica]]->read(values.data(), replica_state_[replica],
                                                        values.size() * sizeof(float));
  return values;
}

}  // namespace convoy::runtime
