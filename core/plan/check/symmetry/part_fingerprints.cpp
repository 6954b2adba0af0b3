#include "core/plan/check/symmetry/part_fingerprints.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <iterator>
#include <span>

#include "core/base/process/in_parallel.hpp"
#include "core/plan/check/findings.hpp"
#include "core/plan/check/symmetry/canonical_lengths.hpp"
#include "core/plan/check/symmetry/part_dependences.hpp"
#include "core/plan/check/symmetry/part_memory.hpp"
#include "core/plan/check/symmetry/part_operations.hpp"
#include "core/plan/check/symmetry/part_passes.hpp"
#include "core/plan/check/symmetry/prefix_cache.hpp"

namespace convoy::plan::check {
namespace {

// Parts are independent, so several threads process them, this many parts at a time.
constexpr std::size_t kMostThreads = 8;
constexpr std::uint32_t kTurn = 16;
constexpr std::size_t kFewItems = 100'000;
constexpr std::size_t kAhead = 8;  // items whose operations are fetched before they are needed

// Runs the plan on fingerprints, for one part after the other.
class FingerprintRun : public PartitionedPlan {
 public:
  FingerprintRun(const PartitionedPlan& plan, const PartOperations& items,
                 const PartDependences& dependences)
      : PartitionedPlan(plan),
        items_(items),
        dependences_(dependences),
        memory_(plan),
        passes_(plan, items, memory_),
        prefixes_(plan, dependences, memory_, passes_),
        lengths_(plan, dependences) {}

  // Returns nothing if passes are irregular.
  std::optional<Fingerprint> fingerprint(std::uint32_t part) {
    const std::span<const PartOperations::Item> items = items_.items(part);
    const std::span<const std::uint32_t> arena = items_.arena_stretches(part);
    result_ = {};
    if (items.empty() && arena.empty()) return result_;
    const std::uint32_t first = leader(items);
    if (!memory_.enter(part, arena, first)) return std::nullopt;
    passes_.enter(arena);
    lengths_.enter(items);
    auto item = items.begin();
    memory_.begin(false);
    for (; item != items.end() && is_prologue(item->operation); ++item) execute(*item);
    const Fingerprint begun = sum(result_, memory_.fingerprint_of_changes());
    memory_.begin(true);
    if (!run_period({item, items.end()}, first)) return std::nullopt;
    return sum(begun, sum(result_, memory_.fingerprint_of_changes()));
  }

 private:
  bool is_prologue(std::uint32_t operation) const { return operation < plan_.prologue.size(); }

  bool run_period(std::span<const PartOperations::Item> items, std::uint32_t leader) {
    result_ = {};
    RunPosition at = prefixes_.begin(items, leader, result_);
    if (prefixes_.kept_at() > 0) {
      if (!run_to(prefixes_.kept_at(), items, at)) return false;
      prefixes_.keep(at, result_);
    }
    if (!run_to(items.size(), items, at)) return false;
    for (; at.event < passes_.events().size(); ++at.event)
      if (!passes_.run(passes_.events()[at.event], result_)) return false;
    return passes_.are_complete();
  }

  // Runs all items before `end`, and the passes before each of them.
  bool run_to(std::size_t end, std::span<const PartOperations::Item> items, RunPosition& at) {
    const std::vector<PartPasses::Event>& events = passes_.events();
    for (; at.item < end; ++at.item) {
      const PartOperations::Item& item = items[at.item];
      if (at.item + kAhead < end) fetch(operation_of(plan_, items[at.item + kAhead].operation));
      for (; at.event < events.size() && events[at.event].pass->operation < item.operation;
           ++at.event)
        if (!passes_.run(events[at.event], result_)) return false;
      execute(item);
    }
    return true;
  }

  // Prefetches an operation, because the operations of a part are far from each other in memory.
  static void fetch(const Operation& operation) {
    constexpr std::size_t kLine = 64;
    const auto* const bytes = reinterpret_cast<const std::byte*>(&operation);
    for (std::size_t at = 0; at < sizeof(Operation); at += kLine) __builtin_prefetch(bytes + at);
  }

  // Returns the replica whose memory the part's operations write first. It takes the first
  // replica's role.
  std::uint32_t leader(std::span<const PartOperations::Item> items) const {
    for (const PartOperations::Item& item : items) {
      const Operation& operation = operation_of(plan_, item.operation);
      if (is_prologue(operation.id)) continue;
      for (const PlanSpan& span : operation.writes) {
        const PlanBuffer& buffer = plan_.buffers[span.buffer];
        if (buffer.kind != CONVOY_BUFFER_PARAMETERS && buffer.kind != CONVOY_BUFFER_GRADIENT)
          continue;
        return buffer.owner;
      }
    }
    return 0;
  }

  PartMemory::Cell& cell(std::size_t span, std::size_t stretch) {
    return memory_.cell(lives_.memory(span),
                        partition_.first(span) + static_cast<std::uint32_t>(stretch));
  }

  void emit(const Fingerprint& it) { result_ = sum(result_, it); }

  void execute(const PartOperations::Item& item) {
    const Operation& operation = operation_of(plan_, item.operation);
    if (is_loose(operation))
      emit(fingerprint_of(kLoose, operation.kind, operation.flags, operation.max_lag));
    if (operation.kind == OperationKind::kCall)
      emit(fingerprint_of(kCalled, operation.details->kernel));
    const std::size_t reads = lives_.first_span(operation.id);
    const std::size_t writes = reads + operation.reads.size();
    switch (dependences_[item.operation]) {
      case Dependence::kAll:
        return mix(operation, reads, writes);
      case Dependence::kScatters: {
        const auto [piece, stretch] = dependences_.piece_of(item);
        cell(writes + piece, stretch).value = result(operation, reads, item.stretch);
        return;
      }
      case Dependence::kGathers: {
        const auto [piece, stretch] = dependences_.piece_of(item);
        return write_all(operation, writes, item.stretch,
                         loosened(operation, cell(reads + piece, stretch).value));
      }
      default:
        if (operation.kind == OperationKind::kApply) return apply(operation, reads, item.stretch);
        return write_all(operation, writes, item.stretch, result(operation, reads, item.stretch));
    }
  }

  void write_all(const Operation& operation, std::size_t writes, std::size_t stretch,
                 const Fingerprint& value) {
    for (std::size_t i = 0; i < operation.writes.size(); ++i)
      cell(writes + i, stretch).value = value;
  }

  static Fingerprint loosened(const Operation& operation, const Fingerprint& value) {
    if (!is_loose(operation)) return value;
    return fingerprint_of(kLoose, operation.flags, operation.max_lag, value);
  }

  Fingerprint result(const Operation& operation, std::size_t reads, std::size_t stretch) {
    const Fingerprint exact = combined(operation, reads, operation.reads.size(), stretch);
    const std::uint32_t dtype = operation.writes.front().dtype;
    const bool rounds = dtype != CONVOY_F32 && !only_moves(operation.kind) &&
                        operation.kind != OperationKind::kFill && !(exact == Fingerprint{});
    return loosened(operation, rounds ? fingerprint_of(kRounded, dtype, exact) : exact);
  }

  // The last result is kept, because consecutive operations have the same scalar.
  std::uint64_t field_of(double scalar) {
    if (scalar != last_scalar_) last_field_ = from_scalar(last_scalar_ = scalar).field;
    return last_field_;
  }

  Fingerprint combined(const Operation& operation, std::size_t reads, std::size_t count,
                       std::size_t stretch) {
    const bool scales = operation.kind == OperationKind::kScale ||
                        operation.kind == OperationKind::kAxpy ||
                        operation.kind == OperationKind::kFill || has_factor(operation.kind);
    const std::uint64_t scalar = scales ? field_of(operation.scalar) : 1;
    if (operation.kind == OperationKind::kFill) return times(fingerprint_of(kOne), scalar);
    if (has_factor(operation.kind))
      return fingerprint_of(operation.kind, scalar, cell(reads, stretch).value,
                            cell(reads + 1, stretch).value);
    const bool extreme = operation.reduction != CONVOY_REDUCE_SUM && count > 1 &&
                         (operation.kind == OperationKind::kSum || is_collective(operation.kind));
    Fingerprint total;
    for (std::size_t i = 0; i < count; ++i) {
      const Fingerprint& value = cell(reads + i, stretch).value;
      const bool weighted = i == 0 && scales;
      total = sum(total, extreme ? fingerprint_of(value) : weighted ? times(value, scalar) : value);
    }
    return extreme ? fingerprint_of(kExtreme, operation.reduction, total) : total;
  }

  void apply(const Operation& operation, std::size_t reads, std::size_t stretch) {
    const Fingerprint gradient = combined(operation, reads, element_reads(operation), stretch);
    for (std::size_t i = 0; i < operation.writes.size(); ++i) {
      PartMemory::Cell& it = cell(reads + operation.reads.size() + i, stretch);
      const Fingerprint made = fingerprint_of(it.value, it.state, gradient, operation.contributions,
                                              operation.flags, operation.max_lag, operation.phase);
      it.value = fingerprint_of(kUpdated, made);
      it.state = fingerprint_of(kUpdatedState, made);
    }
  }

  // Every stretch of the writes depends on all reads and their lengths.
  void mix(const Operation& operation, std::size_t reads, std::size_t writes) {
    FingerprintHasher all(operation.kind, operation.flags, operation.max_lag, operation.reduction,
                          std::bit_cast<std::uint64_t>(operation.scalar), operation.details->effect,
                          operation.details->kernel, operation.reads.size(),
                          lengths_.are_relative());
    for (std::size_t i = 0; i < std::size(operation.details->sizes); ++i)
      all.add(lengths_.size(operation, i));
    for (std::size_t i = 0; i < operation.reads.size(); ++i) {
      all.add(operation.reads[i].dtype);
      all.add(partition_.count(reads + i));
      for (std::uint32_t k = 0; k < partition_.count(reads + i); ++k) {
        all.add(lengths_.of(partition_.first(reads + i) + k));
        all.add(cell(reads + i, k).value);
      }
    }
    for (std::size_t i = 0; i < operation.writes.size(); ++i)
      for (std::uint32_t k = 0; k < partition_.count(writes + i); ++k)
        cell(writes + i, k).value =
            fingerprint_of(kWritten, all.fingerprint(), i, operation.writes[i].dtype, k,
                           lengths_.of(partition_.first(writes + i) + k));
  }

  const PartOperations& items_;
  const PartDependences& dependences_;
  PartMemory memory_;
  PartPasses passes_;
  PrefixCache prefixes_;
  CanonicalLengths lengths_;
  double last_scalar_ = 1;
  std::uint64_t last_field_ = 1;
  Fingerprint result_;
};

}  // namespace

std::optional<std::vector<Fingerprint>> part_fingerprints(const PartitionedPlan& plan) {
  PartOperations items(plan);
  if (!items.sort()) return std::nullopt;
  const PartDependences dependences(plan);
  std::vector<Fingerprint> result(plan.parts());
  std::atomic<std::uint32_t> next = 0;
  std::atomic<bool> irregular = false;
  const auto take_parts = [&](std::size_t) {
    if (next >= result.size()) return;
    FingerprintRun run(plan, items, dependences);
    for (std::uint32_t begin = next.fetch_add(kTurn); begin < result.size() && !irregular;
         begin = next.fetch_add(kTurn))
      for (std::size_t part = begin; part < std::min<std::size_t>(begin + kTurn, result.size());
           ++part) {
        const std::optional<Fingerprint> found = run.fingerprint(static_cast<std::uint32_t>(part));
        if (!found) irregular = true;
        result[part] = found.value_or(Fingerprint{});
      }
  };
  const bool is_long = items.size() > kFewItems && result.size() > kTurn;
  in_parallel(is_long ? kMostThreads : 1, take_parts);
  if (irregular) return std::nullopt;
  return result;
}

}  // namespace convoy::plan::check
