#include "core/plan/check/symmetry/part_operations.hpp"

#include "core/base/process/large_pages.hpp"
#include "core/plan/check/symmetry/fingerprint_hasher.hpp"

namespace convoy::plan::check {

bool PartOperations::sort() {
  if (!find_passes()) return false;
  sort_items();
  sort_stretches();
  return true;
}

// A pass is forwards, then backwards, of one replica over its own memory.
bool PartOperations::find_passes() {
  struct Replica {
    std::uint64_t computes = 0;
    bool backward = true;
  };
  std::vector<Replica> replicas(plan_.cluster->replicas());
  const auto owns = [&](const Operation& it, const PlanSpan& span, std::uint32_t kind) {
    const PlanBuffer& buffer = plan_.buffers[span.buffer];
    return buffer.kind == kind && buffer.owner == it.replica;
  };
  for (const Operation& it : plan_.prologue)
    if (is_compute(it.kind)) return false;
  for (const Operation& it : plan_.body) {
    if (!is_compute(it.kind)) continue;
    Replica& replica = replicas.at(it.replica);
    if (!owns(it, it.reads.front(), CONVOY_BUFFER_PARAMETERS)) return false;
    const bool backward = it.kind == OperationKind::kBackward;
    if (backward) {
      const PlanSpan& written = it.writes.front();
      if (!owns(it, written, CONVOY_BUFFER_GRADIENT) || replica.computes == 0 ||
          written.first != it.reads.front().first || written.count != it.reads.front().count)
        return false;
    } else if ((it.first_layer == 0) != replica.backward) {
      return false;
    } else if (it.first_layer == 0) {
      ++replica.computes;
    }
    replica.backward = backward;
    const std::uint64_t compute = replica.computes - 1;
    const Fingerprint how = fingerprint_of(compute, it.flags, it.max_lag, it.phase,
                                           plan_.buffers[it.reads.front().buffer].set);
    passes_.push_back({it.id, compute, how});
  }
  return true;
}

void PartOperations::sort_items() {
  first_items_.assign(partition_.parts() + 1, 0);
  const auto for_each = [&](auto visit) {
    for (const auto* section : {&plan_.prologue, &plan_.body})
      for (const Operation& operation : *section) {
        const Dependence dependence = dependence_of(operation);
        if (dependence == Dependence::kNothing || is_compute(operation.kind)) continue;
        std::size_t base = lives_.first_span(operation.id);
        if (dependence == Dependence::kGathers || operation.reads.empty())
          base += operation.reads.size();
        const std::uint32_t count = dependence == Dependence::kAll ? 1 : partition_.count(base);
        for (std::uint32_t i = 0; i < count; ++i)
          visit(partition_.part(partition_.first(base) + i), Item{operation.id, i});
      }
  };
  for_each([&](std::uint32_t part, const Item&) { ++first_items_[part + 1]; });
  for (std::size_t i = 1; i < first_items_.size(); ++i) first_items_[i] += first_items_[i - 1];
  reserve_large(items_, first_items_.back());
  items_.resize(first_items_.back());
  std::vector<std::size_t> at(first_items_.begin(), first_items_.end() - 1);
  for_each([&](std::uint32_t part, const Item& item) { items_[at[part]++] = item; });
}

void PartOperations::sort_stretches() {
  first_stretches_.assign(partition_.parts() + 1, 0);
  const std::uint32_t count = partition_.of_arena();
  for (std::uint32_t i = 0; i < count; ++i) ++first_stretches_[partition_.part(i) + 1];
  for (std::size_t i = 1; i < first_stretches_.size(); ++i)
    first_stretches_[i] += first_stretches_[i - 1];
  arena_stretches_.resize(count);
  std::vector<std::size_t> at(first_stretches_.begin(), first_stretches_.end() - 1);
  for (std::uint32_t i = 0; i < count; ++i) arena_stretches_[at[partition_.part(i)]++] = i;
}

}  // namespace convoy::plan::check
