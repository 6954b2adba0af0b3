#include "core/plan/check/simplify/copy_propagation.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/base/process/large_pages.hpp"

namespace convoy::plan::check {
namespace {

// All numbers of 16 bits are numbers of 32 bits, too.
bool widens(const Operation& operation) {
  const std::uint32_t from = operation.reads.front().dtype;
  return operation.kind == OperationKind::kCast && operation.writes.front().dtype == CONVOY_F32 &&
         (from == CONVOY_F16 || from == CONVOY_BF16);
}

// Returns, by buffer, whether it is scratch memory.
std::vector<bool> which_are_scratch(const Plan& plan) {
  std::vector<bool> result;
  result.reserve(plan.buffers.size());
  for (const PlanBuffer& buffer : plan.buffers)
    result.push_back(buffer.kind == CONVOY_BUFFER_SCRATCH);
  return result;
}

bool is_staged(const std::vector<bool>& is_scratch, const Operation& operation) {
  const bool copies = operation.kind == OperationKind::kCopy &&
                      operation.reads.front().dtype == operation.writes.front().dtype;
  return (copies || widens(operation)) && operation.flags == 0 &&
         is_scratch[operation.writes.front().buffer] &&
         operation.reads.front().buffer != operation.writes.front().buffer;
}

// Whether the operation computes the same from the same numbers in another type.
bool takes_any_type(const Operation& operation) {
  return is_elementwise(operation.kind) && operation.kind != OperationKind::kCopy;
}

// Whether operations of this kind depend on the old contents of their writes.
bool reads_its_writes(OperationKind kind) {
  return !is_elementwise(kind) || kind == OperationKind::kApply;
}

// Whether the operation would overwrite elements of `read` before it reads them, if it read there.
bool disturbs(const Operation& operation, const PlanSpan& read) {
  return std::ranges::any_of(operation.writes, [&](const PlanSpan& write) {
    return overlap(write, read) && !(is_elementwise(operation.kind) && same_span(write, read));
  });
}

// Finds, in program order, where the contents of scratch memory come from.
class CopyPropagation {
 public:
  CopyPropagation(const Plan& plan, const std::vector<bool>& is_scratch)
      : plan_(plan), is_scratch_(is_scratch), written_(plan.buffers.size()) {
    const std::size_t operations = plan.prologue.size() + plan.body.size();
    drops_.assign(operations, false);
    reserve_large(forwarded_, operations);
    reserve_large(scratch_, plan.buffers.size());
  }

  void find() {
    for (const auto* section : {&plan_.prologue, &plan_.body}) {
      if (section->empty()) continue;
      scratch_.assign(plan_.buffers.size(), {});  // scratch memory does not outlast a section
      rests_.clear();
      for (const Operation& operation : *section) visit(operation);
    }
  }

  bool is_worth_it() const { return 4 * std::ranges::count(drops_, true) >= std::ssize(drops_); }

  std::unique_ptr<ReducedPlan> make() {
    std::unique_ptr<ReducedPlan> result = ReducedPlan::over_all(plan_);
    result->reserve(static_cast<std::size_t>(std::ranges::count(drops_, false)));
    auto next = forwarded_.begin();
    const auto take = [&](const std::vector<Operation>& from, std::vector<Operation>& to) {
      for (const Operation& operation : from) {
        const auto end = std::find_if(next, forwarded_.end(), [&](const Forwarded& it) {
          return it.operation != operation.id;
        });
        if (!drops_[operation.id]) {
          Operation& made = result->append(operation, to);
          for (; next != end; ++next) made.reads[next->read] = next->from;
        }
        next = end;
      }
    };
    take(plan_.prologue, result->plan.prologue);
    take(plan_.body, result->plan.body);
    result->take_buffers(plan_);
    return result;
  }

 private:
  // The last copy into a scratch buffer, while all its elements are still there.
  struct Staged {
    PlanSpan from;
    std::uint64_t first = 0;           // the first element that it wrote
    std::uint32_t copy = CONVOY_NONE;  // CONVOY_NONE: there is no such copy
    bool has_rest = false;             // the buffer has a rest of an earlier copy, see rests_

    std::uint64_t end() const { return first + from.count; }
    bool holds(const PlanSpan& span) const {
      return copy != CONVOY_NONE && first <= span.first && span.first + span.count <= end();
    }
  };
  // A copy that was overwritten in part: the range of elements that may still be its own.
  struct Rest {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    std::uint32_t copy = CONVOY_NONE;
  };
  struct Forwarded {
    std::uint32_t operation = 0;
    std::uint32_t read = 0;
    PlanSpan from;
  };

  void visit(const Operation& operation) {
    std::optional<PlanSpan> from;  // the origin of its first read
    for (std::uint32_t i = 0; i < operation.reads.size(); ++i) {
      const std::optional<PlanSpan> origin = origin_of(operation, operation.reads[i]);
      if (origin) forwarded_.push_back({operation.id, i, *origin});
      if (i == 0) from = origin;
    }
    for (const PlanSpan& span : operation.writes) write(operation, span);
    if (!is_staged(is_scratch_, operation)) return;
    const PlanSpan& write = operation.writes.front();
    Staged& staged = scratch_[write.buffer];
    staged = {from.value_or(operation.reads.front()), write.first, operation.id, staged.has_rest};
    drops_[operation.id] = true;  // until a reader needs it
  }

  // Returns where else the operation can read the same elements. If nowhere, the copy that made
  // them is needed.
  std::optional<PlanSpan> origin_of(const Operation& reader, const PlanSpan& read) {
    Staged& staged = scratch_[read.buffer];
    const std::uint64_t end = read.first + read.count;
    if (staged.has_rest && !staged.holds(read)) need_rest(read, staged);
    if (staged.copy == CONVOY_NONE || end <= staged.first || staged.end() <= read.first)
      return std::nullopt;
    const bool is_there = written_[staged.from.buffer] <= staged.copy;
    const bool is_readable = staged.from.dtype == read.dtype || takes_any_type(reader);
    if (reader.flags == 0 && staged.first == read.first && staged.end() == end && is_there &&
        is_readable && !disturbs(reader, staged.from))
      return staged.from;
    drops_[staged.copy] = false;
    return std::nullopt;
  }

  // Handles a write to memory that a copy has written. The copy's elements are gone. If some of
  // them may be read later, it becomes a rest, or the copy is needed.
  void write(const Operation& writer, const PlanSpan& span) {
    written_[span.buffer] = writer.id;
    Staged& staged = scratch_[span.buffer];
    const bool reads = reads_its_writes(writer.kind);
    if (staged.has_rest && reads) need_rest(span, staged);
    if (staged.has_rest) end_rest(span, staged);
    if (staged.copy == CONVOY_NONE) return;
    const bool covers = span.first <= staged.first && staged.end() <= span.first + span.count;
    if (reads)
      drops_[staged.copy] = false;
    else if (!covers)
      keep_rest(span.buffer, staged);
    staged.copy = CONVOY_NONE;
  }

  // Each buffer keeps only one rest, so the copy of an earlier rest is needed.
  void keep_rest(std::uint32_t buffer, Staged& staged) {
    const auto [it, is_new] = rests_.try_emplace(buffer);
    if (!is_new) drops_[it->second.copy] = false;
    it->second = {staged.first, staged.end(), staged.copy};
    staged.has_rest = true;
  }

  // Keeps the copy whose rest may be read.
  void need_rest(const PlanSpan& read, Staged& staged) {
    const auto it = rests_.find(read.buffer);
    if (read.first + read.count <= it->second.first || it->second.end <= read.first) return;
    drops_[it->second.copy] = false;
    rests_.erase(it);
    staged.has_rest = false;
  }

  void end_rest(const PlanSpan& write, Staged& staged) {
    const auto it = rests_.find(write.buffer);
    if (it->second.first < write.first || write.first + write.count < it->second.end) return;
    rests_.erase(it);
    staged.has_rest = false;
  }

  const Plan& plan_;
  const std::vector<bool>& is_scratch_;            // by buffer
  std::vector<Staged> scratch_;                    // by buffer
  std::unordered_map<std::uint32_t, Rest> rests_;  // by buffer
  std::vector<std::uint32_t> written_;             // by buffer: its last writer
  std::vector<bool> drops_;                        // by operation
  std::vector<Forwarded> forwarded_;
};

// Estimates, at a fraction of the cost, whether there may be enough such copies.
bool stages_much(const Plan& plan, const std::vector<bool>& is_scratch) {
  std::size_t copies = 0;
  for (const auto* section : {&plan.prologue, &plan.body})
    for (const Operation& operation : *section) copies += is_staged(is_scratch, operation) ? 1 : 0;
  return copies > 0 && 4 * copies >= plan.prologue.size() + plan.body.size();
}

}  // namespace

std::unique_ptr<ReducedPlan> propagate_copies(const Plan& plan) {
  const std::vector<bool> is_scratch = which_are_scratch(plan);
  if (!stages_much(plan, is_scratch)) return nullptr;
  CopyPropagation propagation(plan, is_scratch);
  propagation.find();
  return propagation.is_worth_it() ? propagation.make() : nullptr;
}

}  // namespace convoy::plan::check
