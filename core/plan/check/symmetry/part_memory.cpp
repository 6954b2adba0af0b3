#include "core/plan/check/symmetry/part_memory.hpp"

#include <map>

namespace convoy::plan::check {
namespace {

constexpr std::size_t kMostCells = 32'000'000;

}  // namespace

PartMemory::PartMemory(const PartitionedPlan& plan)
    : PartitionedPlan(plan),
      arena_numbers_(lives_.memories()),
      cells_(partition_.largest_part()),
      numbers_(partition_.largest_part()),
      families_(lives_.memories(), CONVOY_NONE) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> families;  // kind and set
  const std::uint32_t replicas = plan_.cluster->replicas();
  for (std::uint32_t memory = 0; memory < lives_.memories(); ++memory) {
    if (!partition_.in_arena(memory)) continue;
    arena_numbers_[memory] = arena_memories_++;
    const PlanBuffer& buffer = plan_.buffers[lives_.buffer(memory)];
    if (buffer.kind == CONVOY_BUFFER_MASTER) continue;
    const auto before = static_cast<std::uint32_t>(families.size()) * replicas;
    families_[memory] = families.try_emplace({buffer.kind, buffer.set}, before).first->second;
  }
  for (std::vector<Codes>& codes : first_codes_) codes.resize(families.size() * replicas);
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

PartMemory::Held PartMemory::held() const {
  Held result;
  for (const Touched& it : touched_) {
    result.memories.push_back(it.memory);
    result.cells.push_back(arena_cells_[arena_numbers_[it.memory]]);
  }
  return result;
}

void PartMemory::hold(const Held& contents) {
  for (std::size_t i = 0; i < contents.memories.size(); ++i) {
    Cell& it = arena_cells_[arena_numbers_[contents.memories[i]]];
    it = contents.cells[i];
    it.epoch = epoch_;
    touched_.push_back({contents.memories[i], arena_.front()});
  }
}

std::uint32_t PartMemory::number(Numbered& of) {
  if (of.part != part_ + 1) of = {part_ + 1, ++appeared_};
  return of.number;
}

// Returns the fingerprint that identifies the memory within the part.
Fingerprint PartMemory::code(std::uint32_t memory, std::uint32_t stretch) {
  const PlanBuffer& buffer = plan_.buffers[lives_.buffer(memory)];
  if (!partition_.in_arena(memory))
    return fingerprint_of(buffer.kind, buffer.dtype, number(numbers_[local(stretch)]));
  if (buffer.kind != CONVOY_BUFFER_MASTER)
    return fingerprint_of(buffer.kind, buffer.set, role(buffer.owner), local(stretch));
  return fingerprint_of(buffer.kind, number(master_numbers_[arena_numbers_[memory]]),
                        local(stretch));
}

PartMemory::Codes PartMemory::make_codes(std::uint32_t memory, std::uint32_t stretch) {
  const std::uint32_t kind = plan_.buffers[lives_.buffer(memory)].kind;
  const Fingerprint own = code(memory, stretch);
  if (kind == CONVOY_BUFFER_SCRATCH) return {own, fingerprint_of(kUnwritten, own), {}, true};
  if (held_) return {own, own, fingerprint_of(kHeldState, own), true};
  if (kind == CONVOY_BUFFER_PERSISTENT) return {own, Fingerprint{}, {}, true};
  if (kind == CONVOY_BUFFER_GRADIENT) return {own, fingerprint_of(kUnwritten, own), {}, true};
  return {own, fingerprint_of(kFirstParameters, local(stretch)), fingerprint_of(kFreshState), true};
}

const PartMemory::Codes& PartMemory::codes(std::uint32_t memory, std::uint32_t stretch) {
  if (families_[memory] == CONVOY_NONE || local(stretch) != 0)
    return other_codes_ = make_codes(memory, stretch);
  const std::uint32_t owner = plan_.buffers[lives_.buffer(memory)].owner;
  Codes& known = first_codes_[held_ ? 1 : 0][families_[memory] + role(owner)];
  if (!known.known) known = make_codes(memory, stretch);
  return known;
}

PartMemory::Cell& PartMemory::cell(std::uint32_t memory, std::uint32_t stretch) {
  Cell& it = partition_.in_arena(memory)
                 ? arena_cells_[arena_numbers_[memory] * arena_.size() + local(stretch)]
                 : cells_[local(stretch)];
  if (it.epoch == epoch_) return it;
  const Codes& begun = codes(memory, stretch);
  it = {begun.value, begun.state, epoch_};
  touched_.push_back({memory, stretch});
  return it;
}

Fingerprint PartMemory::fingerprint_of_changes() {
  Fingerprint total;
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    const auto [memory, stretch] = touched_[i];
    if (plan_.buffers[lives_.buffer(memory)].kind == CONVOY_BUFFER_SCRATCH) continue;
    const Cell& now = cell(memory, stretch);
    const Codes& begun = codes(memory, stretch);
    if (now.value == begun.value && now.state == begun.state) continue;
    total = sum(total, fingerprint_of(kLeft, held_, begun.own, now.value, now.state));
  }
  return total;
}

}  // namespace convoy::plan::check
