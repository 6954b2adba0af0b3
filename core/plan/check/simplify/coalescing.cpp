#include "core/plan/check/simplify/coalescing.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/plan/check/findings.hpp"

namespace convoy::plan::check {
namespace {

using Operations = std::span<const Operation>;

// Finds which of an operation's spans is in a buffer; there may be at most one per buffer. It needs
// no search or allocation, because it is used for every operation of a plan.
class SpanOfBuffer {
 public:
  explicit SpanOfBuffer(std::size_t buffers) : spans_(buffers, CONVOY_NONE) {}

  // Returns false if the buffer already has a span.
  bool add(std::uint32_t buffer) {
    if (spans_[buffer] != CONVOY_NONE) return false;
    spans_[buffer] = static_cast<std::uint32_t>(added_.size());
    added_.push_back(buffer);
    return true;
  }
  // Returns the index in the order of adding; CONVOY_NONE if there is none.
  std::uint32_t of(std::uint32_t buffer) const { return spans_[buffer]; }
  void clear() {
    for (const std::uint32_t buffer : added_) spans_[buffer] = CONVOY_NONE;
    added_.clear();
  }

 private:
  std::vector<std::uint32_t> spans_;
  std::vector<std::uint32_t> added_;
};

bool follows(const PlanSpan& before, const PlanSpan& after) {
  return before.buffer == after.buffer && before.dtype == after.dtype &&
         before.first + before.count == after.first;
}

// Whether two operations differ only in their spans and in where they run.
bool do_alike(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.flags == b.flags && a.phase == b.phase && a.scalar == b.scalar &&
         a.max_lag == b.max_lag && a.reduction == b.reduction &&
         a.contributions == b.contributions && a.reads.size() == b.reads.size() &&
         a.writes.size() == b.writes.size() && *a.details == *b.details;
}

bool may_be_cut(const Operation& operation) {
  return is_elementwise(operation.kind) && !is_loose(operation);
}

// Whether b reads the elements directly behind those that a reads.
bool reads_on(const Operation& a, const Operation& b) {
  const std::size_t elements = element_reads(a);
  if (!do_alike(a, b) || element_reads(b) != elements) return false;
  for (std::size_t i = 0; i < a.reads.size(); ++i)
    if (i < elements ? !follows(a.reads[i], b.reads[i]) : !same_span(a.reads[i], b.reads[i]))
      return false;
  return true;
}

bool writes_on(const Operation& a, const Operation& b) {
  for (std::size_t i = 0; i < a.writes.size(); ++i)
    if (!follows(a.writes[i], b.writes[i])) return false;
  return true;
}

bool is_plain_copy(const Operation& operation) {
  return operation.kind == OperationKind::kCopy && operation.flags == 0 &&
         operation.reads.front().dtype == operation.writes.front().dtype;
}

std::uint64_t end_of(const PlanSpan& span) {
  return span.first + span.count;
}

// Returns the first of these operations, with the elements that all of them read.
Operation with_all_reads(Operations pieces) {
  Operation whole = pieces.front();
  const Operation& last = pieces.back();
  const std::size_t elements = element_reads(last);
  for (std::size_t i = 0; i < elements; ++i)
    whole.reads[i].count = end_of(last.reads[i]) - whole.reads[i].first;
  return whole;
}

// Finds slices of one operation. Each must be able to read its elements before the others write.
class Slices {
 public:
  explicit Slices(std::size_t buffers) : writes_(buffers) {}

  // Returns how many of the first operations are slices of one; 1: the first is not joined with
  // others.
  std::size_t count(Operations all) {
    const Operation& first = all.front();
    if (!may_be_cut(first) || first.id < next_) return 1;
    std::size_t count = 1;
    while (count < all.size() && reads_on(all[count - 1], all[count]) &&
           writes_on(all[count - 1], all[count]))
      ++count;
    if (count > 1 && is_free(joined(all.first(count)))) return count;
    next_ = all[count - 1].id + 1;
    return 1;
  }

  static Operation joined(Operations slices) {
    Operation whole = with_all_reads(slices);
    for (std::size_t i = 0; i < whole.writes.size(); ++i)
      whole.writes[i].count = end_of(slices.back().writes[i]) - whole.writes[i].first;
    return whole;
  }

 private:
  bool is_free(const Operation& whole) {
    writes_.clear();
    for (const PlanSpan& span : whole.writes)
      if (!writes_.add(span.buffer)) return false;
    const std::size_t elements = element_reads(whole);
    for (std::size_t i = 0; i < whole.reads.size(); ++i) {
      const std::uint32_t write = writes_.of(whole.reads[i].buffer);
      if (write == CONVOY_NONE || !overlap(whole.writes[write], whole.reads[i])) continue;
      if (i >= elements || !same_span(whole.writes[write], whole.reads[i])) return false;
    }
    return true;
  }

  SpanOfBuffer writes_;
  std::uint32_t next_ = 0;  // the operation behind a run that is not joined
};

// Finds sums of consecutive pieces of the same spans, each into one span.
class Scatters {
 public:
  explicit Scatters(std::size_t buffers) : reads_(buffers), writes_(buffers) {}

  std::size_t count(Operations all) {
    const Operation& first = all.front();
    if (first.kind != OperationKind::kSum || !may_be_cut(first) || first.writes.size() != 1 ||
        first.id < next_ || all.size() < 2 || !reads_on(first, all[1]))
      return 1;
    reads_.clear();
    writes_.clear();
    for (const PlanSpan& span : first.reads)
      if (!reads_.add(span.buffer)) return 1;
    std::size_t count = 0;
    while (count < all.size() && (count == 0 || reads_on(all[count - 1], all[count])) &&
           first.writes.front().dtype == all[count].writes.front().dtype &&
           writes_.add(all[count].writes.front().buffer))
      ++count;
    if (count > 1 && are_free(all.first(count))) return count;
    next_ = all[count - 1].id + 1;
    return 1;
  }

  static Operation joined(Operations pieces) {
    Operation whole = with_all_reads(pieces);
    whole.kind = OperationKind::kReduceScatter;
    whole.writes.clear();
    for (const Operation& piece : pieces) whole.writes.push_back(piece.writes.front());
    return whole;
  }

 private:
  // Whether no piece is written to memory that another one reads.
  bool are_free(Operations pieces) const {
    const Operation& first = pieces.front();
    const Operation& last = pieces.back();
    for (const Operation& piece : pieces) {
      const PlanSpan& write = piece.writes.front();
      const std::uint32_t i = reads_.of(write.buffer);
      if (i == CONVOY_NONE) continue;
      PlanSpan whole = first.reads[i];
      whole.count = end_of(last.reads[i]) - whole.first;
      if (overlap(whole, write) && !same_span(piece.reads[i], write)) return false;
    }
    return true;
  }

  SpanOfBuffer reads_;
  SpanOfBuffer writes_;
  std::uint32_t next_ = 0;  // as in Slices
};

// Finds copies of the same pieces, in order and without gaps, to several buffers. A piece that is
// already in its place is not copied there.
class Gathers {
 public:
  explicit Gathers(std::size_t buffers) : targets_(buffers) {}

  // Returns how many of the first operations form one all_gather, which joined() makes.
  std::size_t count(Operations all) {
    if (!is_plain_copy(all.front()) || all.front().id < next_) return 1;
    const Operations first = copies_to_one(all);
    const Operations second = copies_to_one(all.subspan(first.size()));
    if (find_pieces(first, second))
      if (const std::size_t count = count_copies(all)) return count;
    next_ = first.back().id + 1;
    return 1;
  }

  Operation joined(const Operation& first) const {
    Operation whole = first;
    whole.kind = OperationKind::kAllGather;
    whole.reads.clear();
    for (const Piece& piece : pieces_) whole.reads.push_back(piece.from);
    whole.writes = SpanList(wholes_);
    return whole;
  }

 private:
  struct Piece {
    PlanSpan from;
    std::uint64_t offset = 0;  // in each target, relative to the first one
  };
  struct Row {
    PlanSpan to;
    std::size_t copies = 0;
  };

  // Returns the first copies that go to one buffer, ascending.
  static Operations copies_to_one(Operations all) {
    std::size_t count = 0;
    while (
        count < all.size() && is_plain_copy(all[count]) &&
        (count == 0 || (all[count].writes.front().buffer == all[0].writes.front().buffer &&
                        all[count].writes.front().first >= end_of(all[count - 1].writes.front()))))
      ++count;
    return all.first(count);
  }

  // Two targets together receive all pieces, because each lacks at most one.
  bool find_pieces(Operations a, Operations b) {
    const std::optional<std::uint64_t> shift = shift_between(a, b);
    if (!shift) return false;
    pieces_.clear();
    const auto offset = [](const Operation& copy) { return copy.writes.front().first; };
    auto i = a.begin();
    auto j = b.begin();
    while (i != a.end() || j != b.end()) {
      const bool of_b = i == a.end() || (j != b.end() && offset(*j) - *shift < offset(*i));
      const bool of_both = !of_b && j != b.end() && offset(*j) - *shift == offset(*i);
      const Operation& copy = of_b ? *j : *i;
      pieces_.push_back({copy.reads.front(), offset(copy) - (of_b ? *shift : 0)});
      if (of_b || of_both) ++j;
      if (!of_b) ++i;
    }
    return has_no_gaps();
  }

  // Returns how much further behind a piece lies in the second target.
  static std::optional<std::uint64_t> shift_between(Operations a, Operations b) {
    for (const Operation& in_a : a.first(std::min<std::size_t>(a.size(), 2)))
      for (const Operation& in_b : b.first(std::min<std::size_t>(b.size(), 2)))
        if (same_span(in_a.reads.front(), in_b.reads.front()))
          return in_b.writes.front().first - in_a.writes.front().first;
    return std::nullopt;
  }

  bool has_no_gaps() {
    const std::uint64_t first = pieces_.front().offset;
    std::uint64_t end = 0;
    for (Piece& piece : pieces_) {
      piece.offset -= first;
      if (piece.offset != end || piece.from.dtype != pieces_.front().from.dtype) return false;
      end += piece.from.count;
    }
    return true;
  }

  // Returns the number of copies to all targets that receive all pieces; 0: they are no all_gather.
  std::size_t count_copies(Operations all) {
    targets_.clear();
    wholes_.clear();
    std::size_t count = 0;
    while (const std::optional<Row> row = row_of_pieces(all.subspan(count))) {
      if (!targets_.add(row->to.buffer)) break;
      wholes_.push_back(row->to);
      count += row->copies;
    }
    return wholes_.size() > 1 && are_free() ? count : 0;
  }

  // Returns nothing if the first copies do not bring all pieces to one buffer.
  std::optional<Row> row_of_pieces(Operations all) const {
    if (all.empty() || !is_plain_copy(all.front())) return std::nullopt;
    const PlanSpan& to = all.front().writes.front();
    const std::size_t lacking = same_span(all.front().reads.front(), pieces_.front().from) ? 0 : 1;
    if (lacking >= pieces_.size()) return std::nullopt;
    const std::uint64_t begin = to.first - pieces_[lacking].offset;
    std::size_t copies = 0;
    for (const Piece& piece : pieces_) {
      const PlanSpan place{to.buffer, to.dtype, begin + piece.offset, piece.from.count};
      if (copies < all.size() && is_plain_copy(all[copies]) &&
          same_span(all[copies].reads.front(), piece.from) &&
          same_span(all[copies].writes.front(), place))
        ++copies;
      else if (!same_span(piece.from, place))
        return std::nullopt;
    }
    const std::uint64_t count = pieces_.back().offset + pieces_.back().from.count;
    return Row{{to.buffer, to.dtype, begin, count}, copies};
  }

  // Whether no piece is overwritten before it is copied.
  bool are_free() const {
    for (const Piece& piece : pieces_) {
      const std::uint32_t target = targets_.of(piece.from.buffer);
      if (target == CONVOY_NONE || !overlap(wholes_[target], piece.from)) continue;
      if (piece.from.first != wholes_[target].first + piece.offset) return false;
    }
    return true;
  }

  SpanOfBuffer targets_;
  std::uint32_t next_ = 0;  // as in Slices
  std::vector<Piece> pieces_;
  std::vector<PlanSpan> wholes_;  // the whole that each target receives
};

std::size_t spans_of(const Operation& operation) {
  return operation.reads.size() + operation.writes.size();
}

// Finds the operations that can be joined, and makes the shorter plan.
class Coalescing {
 public:
  explicit Coalescing(const Plan& plan)
      : plan_(plan),
        slices_(plan.buffers.size()),
        scatters_(plan.buffers.size()),
        gathers_(plan.buffers.size()) {
    find(plan.prologue);
    find(plan.body);
  }

  // Whether joining pays. Later work is proportional to the number of spans.
  bool is_worth_it() const {
    std::size_t before = 0;
    for (const auto* section : {&plan_.prologue, &plan_.body})
      for (const Operation& operation : *section) before += spans_of(operation);
    return 4 * saved_spans_ >= before;
  }

  std::unique_ptr<ReducedPlan> make() {
    std::unique_ptr<ReducedPlan> result = ReducedPlan::over_all(plan_);
    result->reserve(plan_.prologue.size() + plan_.body.size() - saved_operations_);
    auto next = joined_.begin();
    const auto take = [&](Operations from, std::vector<Operation>& to) {
      while (!from.empty()) {
        const std::uint32_t id = from.front().id;
        const bool is_joined = next != joined_.end() && next->whole.id == id;
        from = from.subspan(is_joined ? next->count : 1);
        if (is_joined)
          result->append(std::move(next++->whole), to);
        else
          result->append(operation_of(plan_, id), to);
      }
    };
    take(plan_.prologue, result->plan.prologue);
    take(plan_.body, result->plan.body);
    result->take_buffers(plan_);
    return result;
  }

 private:
  struct Joined {
    std::size_t count = 0;  // number of operations
    Operation whole;        // with the id of the first one
  };

  void find(Operations from) {
    while (!from.empty()) {
      std::size_t count = slices_.count(from);
      if (count > 1)
        add(from.first(count), Slices::joined(from.first(count)));
      else if ((count = scatters_.count(from)) > 1)
        add(from.first(count), Scatters::joined(from.first(count)));
      else if ((count = gathers_.count(from)) > 1)
        add(from.first(count), gathers_.joined(from.front()));
      from = from.subspan(count);
    }
  }

  void add(Operations parts, Operation whole) {
    saved_operations_ += parts.size() - 1;
    for (const Operation& part : parts) saved_spans_ += spans_of(part);
    saved_spans_ -= spans_of(whole);
    joined_.push_back({parts.size(), std::move(whole)});
  }

  const Plan& plan_;
  Slices slices_;
  Scatters scatters_;
  Gathers gathers_;
  std::vector<Joined> joined_;
  std::size_t saved_operations_ = 0;
  std::size_t saved_spans_ = 0;
};

}  // namespace

std::unique_ptr<ReducedPlan> coalesce_operations(const Plan& plan) {
  Coalescing coalescing(plan);
  return coalescing.is_worth_it() ? coalescing.make() : nullptr;
}

}  // namespace convoy::plan::check
