#include "core/plan/check/part_memory.hpp"

#include <algorithm>
#include <tuple>

namespace convoy::check {
namespace {

constexpr std::size_t kMostCells = 32'000'000;

}  // namespace

PartMemory::PartMemory(const Plan& plan, const ScratchLives& lives, const Stretches& stretches)
    : plan_(plan),
      lives_(lives),
      stretches_(stretches),
      arena_numbers_(lives.memories()),
      cells_(stretches.size()),
      numbers_(stretches.size()) {
  for (std::uint32_t memory = 0; memory < lives.memories(); ++memory)
    if (stretches.in_arena(memory)) arena_numbers_[memory] = arena_memories_++;
  master_numbers_.resize(arena_memories_);
}

bool PartMemory::enter(std::uint32_t part, std::span<const std::uint32_t> arena,
                       std::uint32_t leader) {
  part_ = part;
  arena_ = arena;
  leader_ = leader;
  appeared_ = 0;
  const std::size_t cells = arena_memories_ * arena.size();
  if (cells > kMostCells) return false;
  if (arena_cells_.size() < cells) arena_cells_.resize(cells);
  return true;
}

void PartMemory::begin(bool held) {
  held_ = held;
  touched_.clear();
  ++epoch_;
}

std::size_t PartMemory::local(std::uint32_t stretch) const {
  return static_cast<std::size_t>(std::lower_bound(arena_.begin(), arena_.end(), stretch) -
                                  arena_.begin());
}

// The memory's own name within the part.
Name PartMemory::code(std::uint32_t memory, std::uint32_t stretch) {
  const PlanBuffer& buffer = plan_.buffers[lives_.buffer(memory)];
  if (!stretches_.in_arena(memory)) {
    std::uint32_t& number = numbers_[stretch];
    if (number == 0) number = ++appeared_;
    return Naming(buffer.kind, buffer.dtype, number).name();
  }
  if (buffer.kind != CONVOY_BUFFER_MASTER)
    return Naming(buffer.kind, buffer.set, role(buffer.owner), local(stretch)).name();
  auto& [part, number] = master_numbers_[arena_numbers_[memory]];
  if (part != part_ + 1) {
    part = part_ + 1;
    number = ++appeared_;
  }
  return Naming(buffer.kind, number, local(stretch)).name();
}

// Before anything is written.
std::pair<Name, Name> PartMemory::start(std::uint32_t memory, std::uint32_t stretch) {
  const std::uint32_t kind = plan_.buffers[lives_.buffer(memory)].kind;
  const Name own = code(memory, stretch);
  if (kind == CONVOY_BUFFER_SCRATCH) return {Naming(kUnwritten, own).name(), {}};
  if (held_) return {own, Naming(kHeldState, own).name()};
  if (kind == CONVOY_BUFFER_PERSISTENT) return {Name{}, {}};
  if (kind == CONVOY_BUFFER_GRADIENT) return {Naming(kUnwritten, own).name(), {}};
  return {Naming(kFirstParameters, local(stretch)).name(), Naming(kFreshState).name()};
}

PartMemory::Cell& PartMemory::cell(std::uint32_t memory, std::uint32_t stretch) {
  Cell& it = stretches_.in_arena(memory)
                 ? arena_cells_[arena_numbers_[memory] * arena_.size() + local(stretch)]
                 : cells_[stretch];
  if (it.epoch == epoch_) return it;
  std::tie(it.value, it.state) = start(memory, stretch);
  it.epoch = epoch_;
  touched_.push_back({memory, stretch});
  return it;
}

Name PartMemory::left() {
  Name total;
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    const auto [memory, stretch] = touched_[i];
    if (plan_.buffers[lives_.buffer(memory)].kind == CONVOY_BUFFER_SCRATCH) continue;
    const Cell& now = cell(memory, stretch);
    const auto [value, state] = start(memory, stretch);
    if (now.value == value && now.state == state) continue;
    total = sum(total, Naming(kLeft, held_, code(memory, stretch), now.value, now.state).name());
  }
  return total;
}

}  // namespace convoy::check
