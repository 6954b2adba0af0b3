#include "core/plan/check/symmetry/representatives.hpp"

#include <optional>
#include <set>
#include <utility>

#include "core/plan/check/symmetry/memory_partition.hpp"
#include "core/plan/check/symmetry/part_fingerprints.hpp"

namespace convoy::check {
namespace {

class Excerpting {
 public:
  Excerpting(const Plan& plan, const ScratchLives& lives, const Stretches& stretches)
      : plan_(plan), lives_(lives), stretches_(stretches), kept_(stretches.parts(), false) {}

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

  std::unique_ptr<Excerpt> make() {
    auto result = std::make_unique<Excerpt>();
    result->arena = std::make_unique<ArenaMap>();
    result->arena->elements = before_[stretches_.of_arena()];
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
  // Spans that only scale an update stay, whatever part they belong to.
  void keep_sizes(const Operation& operation) {
    const std::size_t reads = lives_.first_span(operation.id);
    const std::size_t writes = reads + operation.reads.size();
    std::size_t from = reads + mixed_reads(operation);
    std::size_t to = writes;
    if (reach_of(operation) == Reach::kNothing) {
      from = operation.kind == OperationKind::kNorm ? writes : reads;
      to = writes + operation.writes.size();
    }
    for (std::size_t span = from; span < to; ++span)
      for (std::uint32_t i = 0; i < stretches_.count(span); ++i)
        kept_[stretches_.part(stretches_.first(span) + i)] = true;
  }

  // Elements that are kept before each of the stretches.
  void measure() {
    before_.push_back(0);
    for (std::uint32_t i = 0; i < stretches_.size(); ++i)
      before_.push_back(before_.back() + (kept_[stretches_.part(i)] ? stretches_.length(i) : 0));
  }

  std::uint64_t kept_elements(std::size_t span) const {
    const std::uint32_t first = stretches_.first(span);
    return before_[first + stretches_.count(span)] - before_[first];
  }

  bool keeps(const Operation& operation) const {
    const std::size_t reads = lives_.first_span(operation.id);
    const std::size_t writes = reads + operation.reads.size();
    if (reach_of(operation) == Reach::kNothing) return any_kept(reads, writes);
    return operation.writes.empty() ? any_kept(reads, writes)
                                    : any_kept(writes, writes + operation.writes.size());
  }
  bool any_kept(std::size_t from, std::size_t to) const {
    for (std::size_t span = from; span < to; ++span)
      if (kept_elements(span) > 0) return true;
    return false;
  }

  void take(const std::vector<Operation>& from, std::vector<Operation>& to, Excerpt& result) {
    for (const Operation& operation : from) {
      if (!keeps(operation)) continue;
      Operation& made = result.append(operation, to);
      const std::size_t reads = lives_.first_span(operation.id);
      made.reads = spans(operation.reads, reads, result.plan);
      made.writes = spans(operation.writes, reads + operation.reads.size(), result.plan);
      // The first one that is left begins the pass.
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
          before_[stretches_.first(at)] - before_[stretches_.first_of_memory(memory)];
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
        before_[stretches_.end_of_memory(memory)] - before_[stretches_.first_of_memory(memory)];
    return number;
  }

  const Plan& plan_;
  const ScratchLives& lives_;
  const Stretches& stretches_;
  std::vector<bool> kept_;              // by part
  std::size_t left_ = 0;                // operations, when it is known whether it is worth it
  std::vector<std::uint64_t> before_;   // by stretch
  std::vector<std::uint32_t> numbers_;  // by memory: the excerpt's buffer
  std::vector<std::uint64_t> layers_;   // by replica: forwards of this pass
};

}  // namespace

std::unique_ptr<Excerpt> one_of_each(const Plan& plan) {
  const ScratchLives lives(plan);
  const std::optional<Stretches> stretches = Stretches::of(plan, lives);
  if (!stretches || stretches->parts() < 2) return nullptr;
  const auto fingerprints = part_fingerprints(plan, lives, *stretches);
  if (!fingerprints) return nullptr;
  Excerpting excerpting(plan, lives, *stretches);
  excerpting.choose(*fingerprints);
  return excerpting.is_worth_it() ? excerpting.make() : nullptr;
}

}  // namespace convoy::check
