#include "core/plan/check/symmetry/representatives.hpp"

#include <optional>
#include <set>
#include <utility>

#include "core/plan/check/symmetry/memory_partition.hpp"
#include "core/plan/check/symmetry/part_fingerprints.hpp"

namespace convoy::plan::check {
namespace {

class Representatives : public PartitionedPlan {
 public:
  explicit Representatives(const PartitionedPlan& plan)
      : PartitionedPlan(plan), kept_(plan.parts(), false) {}

  void choose(const std::vector<Fingerprint>& fingerprints) {
    std::set<std::pair<std::uint64_t, std::uint64_t>> known;
    for (std::uint32_t part = 0; part < fingerprints.size(); ++part)
      kept_[part] = known.insert({fingerprints[part].a, fingerprints[part].b}).second;
    for (const auto* section : {&plan_.prologue, &plan_.body})
      for (const Operation& operation : *section) keep_sizes(operation);
    measure();
  }

  bool is_worth_it() {
    for (const auto* section : {&plan_.prologue, &plan_.body})
      for (const Operation& operation : *section) left_ += keeps(operation) ? 1 : 0;
    return 4 * left_ <= 3 * (plan_.prologue.size() + plan_.body.size());
  }

  std::unique_ptr<ReducedPlan> make() {
    auto result = std::make_unique<ReducedPlan>();
    result->arena = std::make_unique<ArenaMap>();
    result->arena->elements = before_[partition_.of_arena()];
    result->plan.cluster = plan_.cluster;
    result->plan.arena = result->arena.get();
    result->plan.computes = plan_.computes;
    result->reserve(left_);
    numbers_.assign(lives_.memories(), CONVOY_NONE);
    layers_.assign(plan_.cluster->replicas(), 0);
    take(plan_.prologue, result->plan.prologue, *result);
    take(plan_.body, result->plan.body, *result);
    return result;
  }

 private:
  // Keeps spans that only scale an update, whatever part they belong to.
  void keep_sizes(const Operation& operation) {
    const std::size_t reads = lives_.first_span(operation.id);
    const std::size_t writes = reads + operation.reads.size();
    std::size_t from = reads + mixed_reads(operation);
    std::size_t to = writes;
    if (dependence_of(operation) == Dependence::kNothing) {
      from = operation.kind == OperationKind::kNorm ? writes : reads;
      to = writes + operation.writes.size();
    }
    for (std::size_t span = from; span < to; ++span)
      for (std::uint32_t i = 0; i < partition_.count(span); ++i)
        kept_[partition_.part(partition_.first(span) + i)] = true;
  }

  // Computes how many elements are kept before each of the stretches.
  void measure() {
    before_.push_back(0);
    for (std::uint32_t i = 0; i < partition_.size(); ++i)
      before_.push_back(before_.back() + (kept_[partition_.part(i)] ? partition_.length(i) : 0));
  }

  std::uint64_t kept_elements(std::size_t span) const {
    const std::uint32_t first = partition_.first(span);
    return before_[first + partition_.count(span)] - before_[first];
  }

  bool keeps(const Operation& operation) const {
    const std::size_t reads = lives_.first_span(operation.id);
    const std::size_t writes = reads + operation.reads.size();
    if (dependence_of(operation) == Dependence::kNothing) return any_kept(reads, writes);
    return operation.writes.empty() ? any_kept(reads, writes)
                                    : any_kept(writes, writes + operation.writes.size());
  }
  bool any_kept(std::size_t from, std::size_t to) const {
    for (std::size_t span = from; span < to; ++span)
      if (kept_elements(span) > 0) return true;
    return false;
  }

  void take(const std::vector<Operation>& from, std::vector<Operation>& to, ReducedPlan& result) {
    for (const Operation& operation : from) {
      if (!keeps(operation)) continue;
      Operation& made = result.append(operation, to);
      const std::size_t reads = lives_.first_span(operation.id);
      made.reads = spans(operation.reads, reads, result.plan);
      made.writes = spans(operation.writes, reads + operation.reads.size(), result.plan);
      // The first forward that is kept begins the pass, with layer 0.
      if (operation.kind == OperationKind::kBackward) layers_[operation.replica] = 0;
      if (operation.kind == OperationKind::kForward)
        made.first_layer = layers_[operation.replica]++;
    }
  }

  SpanList spans(const SpanList& from, std::size_t at, Plan& plan) {
    SpanList result;
    for (const PlanSpan& span : from) {
      const std::uint64_t count = kept_elements(at);
      const std::uint32_t memory = lives_.memory(at);
      const std::uint64_t first =
          before_[partition_.first(at)] - before_[partition_.first_of_memory(memory)];
      ++at;
      if (count > 0) result.push_back({buffer(memory, plan), span.dtype, first, count});
    }
    return result;
  }

  std::uint32_t buffer(std::uint32_t memory, Plan& plan) {
    std::uint32_t& number = numbers_[memory];
    if (number != CONVOY_NONE) return number;
    number = static_cast<std::uint32_t>(plan.buffers.size());
    plan.buffers.push_back(plan_.buffers[lives_.buffer(memory)]);
    plan.buffers.back().count =
        before_[partition_.end_of_memory(memory)] - before_[partition_.first_of_memory(memory)];
    return number;
  }

  std::vector<bool> kept_;              // by part
  std::size_t left_ = 0;                // operations that are left, once it is known whether the
                                        // reduction is worth it
  std::vector<std::uint64_t> before_;   // by stretch
  std::vector<std::uint32_t> numbers_;  // by memory: the reduced plan's buffer
  std::vector<std::uint64_t> layers_;   // by replica: forwards of this pass
};

}  // namespace

std::unique_ptr<ReducedPlan> keep_representatives(const Plan& plan) {
  const ScratchLiveRanges lives(plan);
  const std::optional<MemoryPartition> partition = MemoryPartition::of(plan, lives);
  if (!partition || partition->parts() < 2) return nullptr;
  const PartitionedPlan partitioned(plan, lives, *partition);
  const auto fingerprints = part_fingerprints(partitioned);
  if (!fingerprints) return nullptr;
  Representatives representatives(partitioned);
  representatives.choose(*fingerprints);
  return representatives.is_worth_it() ? representatives.make() : nullptr;
}

}  // namespace convoy::plan::check
