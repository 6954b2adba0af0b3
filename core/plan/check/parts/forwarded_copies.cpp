#include "core/plan/check/parts/forwarded_copies.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace convoy::check {
namespace {

// All numbers of 16 bits are numbers of 32 bits, too.
bool widens(const Operation& operation) {
  const std::uint32_t from = operation.reads.front().dtype;
  return operation.kind == OperationKind::kCast && operation.writes.front().dtype == CONVOY_F32 &&
         (from == CONVOY_F16 || from == CONVOY_BF16);
}

bool is_staged(const Plan& plan, const Operation& operation) {
  const bool copies = operation.kind == OperationKind::kCopy &&
                      operation.reads.front().dtype == operation.writes.front().dtype;
  return (copies || widens(operation)) && operation.flags == 0 &&
         plan.buffers[operation.writes.front().buffer].kind == CONVOY_BUFFER_SCRATCH &&
         operation.reads.front().buffer != operation.writes.front().buffer;
}

// Whether the operation computes the same from the same numbers in another type.
bool takes_any_type(const Operation& operation) {
  return is_elementwise(operation.kind) && operation.kind != OperationKind::kCopy;
}

bool covers(const PlanSpan& outer, const PlanSpan& inner) {
  return outer.first <= inner.first && inner.first + inner.count <= outer.first + outer.count;
}

// Whether operations of this kind depend on what they write over.
bool reads_its_writes(OperationKind kind) {
  return !is_elementwise(kind) || kind == OperationKind::kApply;
}

// Whether the operation, if it read there, would write what it has not read yet.
bool disturbs(const Operation& operation, const PlanSpan& read) {
  return std::ranges::any_of(operation.writes, [&](const PlanSpan& write) {
    return overlap(write, read) && !(is_elementwise(operation.kind) && same_span(write, read));
  });
}

// Finds out, in program order, where the contents of scratch memory come from.
class Forwarding {
 public:
  explicit Forwarding(const Plan& plan) : plan_(plan), scratch_(plan.buffers.size()) {
    written_.assign(plan.buffers.size(), 0);
    drops_.assign(plan.prologue.size() + plan.body.size(), false);
  }

  void find() {
    for (const auto* section : {&plan_.prologue, &plan_.body}) {
      scratch_.assign(plan_.buffers.size(), {});  // scratch memory does not outlast a section
      for (const Operation& operation : *section) visit(operation);
    }
  }

  bool is_worth_it() const { return 4 * std::ranges::count(drops_, true) >= std::ssize(drops_); }

  std::unique_ptr<Excerpt> make() {
    std::unique_ptr<Excerpt> result = Excerpt::over_all(plan_);
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
    return result;
  }

 private:
  // The last copy into a scratch buffer, while all that it wrote is still there.
  struct Staged {
    PlanSpan to;
    PlanSpan from;
    std::uint32_t copy = CONVOY_NONE;  // none: there is no such copy
  };
  struct Forwarded {
    std::uint32_t operation = 0;
    std::uint32_t read = 0;
    PlanSpan from;
  };

  void visit(const Operation& operation) {
    std::optional<PlanSpan> from;  // of its first read
    for (std::uint32_t i = 0; i < operation.reads.size(); ++i) {
      const std::optional<PlanSpan> origin = origin_of(operation, operation.reads[i]);
      if (origin) forwarded_.push_back({operation.id, i, *origin});
      if (i == 0) from = origin;
    }
    for (const PlanSpan& span : operation.writes) write(operation, span);
    if (!is_staged(plan_, operation)) return;
    const PlanSpan& read = operation.reads.front();
    scratch_[operation.writes.front().buffer] = {operation.writes.front(), from.value_or(read),
                                                 operation.id};
    drops_[operation.id] = true;  // until it turns out to be needed
  }

  // Where else the operation may read the same. If nowhere, the copy that made it is needed.
  std::optional<PlanSpan> origin_of(const Operation& reader, const PlanSpan& read) {
    const Staged& staged = scratch_[read.buffer];
    if (staged.copy == CONVOY_NONE || !overlap(staged.to, read)) return std::nullopt;
    const bool is_there = written_[staged.from.buffer] <= staged.copy;
    const bool is_readable = staged.from.dtype == read.dtype || takes_any_type(reader);
    if (reader.flags == 0 && same_span(staged.to, read) && is_there && is_readable &&
        !disturbs(reader, staged.from))
      return staged.from;
    drops_[staged.copy] = false;
    return std::nullopt;
  }

  // What the copy wrote is gone, or is needed where something of it may be read later.
  void write(const Operation& writer, const PlanSpan& span) {
    written_[span.buffer] = writer.id;
    Staged& staged = scratch_[span.buffer];
    if (staged.copy == CONVOY_NONE) return;
    if (reads_its_writes(writer.kind) || !covers(span, staged.to)) drops_[staged.copy] = false;
    staged = {};
  }

  const Plan& plan_;
  std::vector<Staged> scratch_;         // by buffer
  std::vector<std::uint32_t> written_;  // by buffer: the last operation that did
  std::vector<bool> drops_;             // by operation
  std::vector<Forwarded> forwarded_;
};

// Whether there may be enough of these copies, at a fraction of the cost.
bool stages_much(const Plan& plan) {
  std::size_t copies = 0;
  for (const auto* section : {&plan.prologue, &plan.body})
    for (const Operation& operation : *section) copies += is_staged(plan, operation) ? 1 : 0;
  return copies > 0 && 4 * copies >= plan.prologue.size() + plan.body.size();
}

}  // namespace

std::unique_ptr<Excerpt> without_staging(const Plan& plan) {
  if (!stages_much(plan)) return nullptr;
  Forwarding forwarding(plan);
  forwarding.find();
  return forwarding.is_worth_it() ? forwarding.make() : nullptr;
}

}  // namespace convoy::check
