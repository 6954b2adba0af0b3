#include "core/plan/check/symmetry/part_passes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/plan/check/findings.hpp"

namespace convoy::plan::check {

PartPasses::PartPasses(const PartitionedPlan& plan, const PartOperations& items, PartMemory& memory)
    : PartitionedPlan(plan), memory_(memory), computes_(plan_.cluster->replicas()) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Group> groups;
  for (const PartOperations::Pass& it : items.passes()) {
    const std::size_t span = lives_.first_span(it.operation);
    Group& group = groups[{partition_.first(span), partition_.count(span)}];
    group.first = partition_.first(span);
    group.count = partition_.count(span);
    group.passes.push_back(&it);
    computes_[operation_of(plan_, it.operation).replica] = it.compute + 1;
  }
  for (auto& [unused, group] : groups) groups_.push_back(std::move(group));
}

void PartPasses::enter(std::span<const std::uint32_t> arena) {
  arena_ = arena;
  progress_.assign(computes_.size() * arena.size(), {});
  events_.clear();
  std::size_t groups = 0;
  for (const Group& group : groups_) {
    const auto at = std::lower_bound(arena.begin(), arena.end(), group.first);
    if (at == arena.end() || *at >= group.first + group.count) continue;
    ++groups;
    for (const PartOperations::Pass* it : group.passes) events_.push_back({it, &group});
  }
  if (groups > 1)
    std::sort(events_.begin(), events_.end(),
              [](const Event& a, const Event& b) { return a.pass->operation < b.pass->operation; });
}

bool PartPasses::run(const Event& event, Fingerprint& result) {
  const Operation& operation = operation_of(plan_, event.pass->operation);
  const bool forwards = operation.kind == OperationKind::kForward;
  auto at = std::lower_bound(arena_.begin(), arena_.end(), event.group->first);
  for (; at != arena_.end() && *at < event.group->first + event.group->count; ++at) {
    const auto here = static_cast<std::size_t>(at - arena_.begin());
    Progress& progress = progress_[operation.replica * arena_.size() + here];
    if (progress.backwards != event.pass->compute ||
        progress.forwards != event.pass->compute + (forwards ? 0 : 1))
      return false;
    result = sum(result, forwards ? forward(operation, *event.pass, *at, progress)
                                  : backward(operation, *event.pass, *at, progress));
  }
  return true;
}

PartMemory::Cell& PartPasses::read_of(const Operation& operation, std::uint32_t stretch) {
  return memory_.cell(lives_.memory(lives_.first_span(operation.id)), stretch);
}

Fingerprint PartPasses::forward(const Operation& operation, const PartOperations::Pass& pass,
                                std::uint32_t stretch, Progress& progress) {
  ++progress.forwards;
  progress.read = read_of(operation, stretch).value;
  return fingerprint_of(kForwardReads, pass.how, memory_.role(operation.replica),
                        memory_.local(stretch), progress.read);
}

Fingerprint PartPasses::backward(const Operation& operation, const PartOperations::Pass& pass,
                                 std::uint32_t stretch, Progress& progress) {
  ++progress.backwards;
  const Fingerprint now = read_of(operation, stretch).value;
  const std::uint32_t role = memory_.role(operation.replica);
  const std::uint32_t local = memory_.local(stretch);
  const std::size_t write = lives_.first_span(operation.id) + operation.reads.size();
  memory_.cell(lives_.memory(write), stretch).value = gradient(role, pass.compute, local);
  return fingerprint_of(kBackwardReads, pass.how, role, local, progress.read, now);
}

Fingerprint PartPasses::gradient(std::uint32_t role, std::uint64_t compute, std::uint32_t local) {
  if (local != 0) return fingerprint_of(kGradientOf, role, compute, local);
  const std::size_t number = compute * computes_.size() + role;
  if (number >= gradients_.size()) gradients_.resize((compute + 1) * computes_.size());
  Fingerprint& known = gradients_[number];
  if (known == Fingerprint{}) known = fingerprint_of(kGradientOf, role, compute, local);
  return known;
}

bool PartPasses::are_complete() const {
  for (std::size_t i = 0; i < progress_.size(); ++i) {
    const std::uint64_t computes = computes_[i / arena_.size()];
    if (progress_[i].forwards != computes || progress_[i].backwards != computes) return false;
  }
  return true;
}

}  // namespace convoy::plan::check
