#include "core/plan/check/stale_reads.hpp"

#include <map>
#include <utility>
#include <vector>

#include "core/plan/range_set.hpp"

namespace convoy::plan::check {
namespace {

bool is_relaxed_read(const Operation& operation) {
  return (operation.flags & CONVOY_OP_RELAXED_READS) != 0 && !is_compute(operation.kind) &&
         !operation.writes.empty();
}

bool outlasts_periods(const PlanBuffer& buffer) {
  return buffer.kind != CONVOY_BUFFER_SCRATCH && buffer.kind != CONVOY_BUFFER_GRADIENT;
}

// The elements of a buffer that a place has read in this period, and the last operation that read
// them.
struct ReadBefore {
  RangeSet ranges;
  std::uint32_t operation = CONVOY_NONE;
};

class StaleReadsMaker {
 public:
  explicit StaleReadsMaker(const Plan& plan) : plan_(plan) {}

  std::optional<StaleReads> make() {
    for (std::size_t i = 0; i < plan_.body.size(); ++i)
      if (is_relaxed_read(plan_.body[i])) visit(i);
    if (past_.empty()) return std::nullopt;
    keep_past();
    return std::move(result_);
  }

 private:
  // Copies of a buffer's contents at the beginning of this period and of the previous one.
  struct Past {
    std::uint32_t now = 0, before = 0;
  };

  void visit(std::size_t index) {
    const Operation& operation = plan_.body[index];
    const std::uint32_t place = plan_.place_of(operation.writes.front());
    for (std::size_t i = 0; i < operation.reads.size(); ++i) {
      const PlanSpan& span = operation.reads[i];
      const ReadBefore& known = read_[{place, span.buffer}];
      if (!outlasts_periods(plan_.buffers[span.buffer]) || !known.ranges.overlaps(range_of(span)))
        continue;
      // Copies the plan only for the first such read. Few plans have one, and a copy of a large
      // plan takes seconds.
      if (past_.empty()) result_ = {plan_, operation.id, known.operation};
      result_.plan.body[index].reads[i].buffer = past_of(span.buffer).before;
    }
    for (const PlanSpan& span : operation.reads) {
      ReadBefore& known = read_[{place, span.buffer}];
      known.ranges.add(range_of(span));
      known.operation = operation.id;
    }
  }

  const Past& past_of(std::uint32_t buffer) {
    const auto [found, is_new] = past_.try_emplace(buffer);
    if (is_new) found->second = {copy_of(buffer), copy_of(buffer)};
    return found->second;
  }

  std::uint32_t copy_of(std::uint32_t buffer) {
    PlanBuffer copy = plan_.buffers[buffer];
    copy.kind = CONVOY_BUFFER_PERSISTENT;
    copy.owner = copy.place;
    result_.plan.buffers.push_back(std::move(copy));
    return static_cast<std::uint32_t>(result_.plan.buffers.size() - 1);
  }

  Operation copied(std::uint32_t to, std::uint32_t from) const {
    const PlanBuffer& buffer = result_.plan.buffers[from];
    Operation operation;
    operation.kind = OperationKind::kCopy;
    operation.place = buffer.place;
    operation.reads.push_back({from, buffer.dtype, 0, buffer.count});
    operation.writes.push_back({to, buffer.dtype, 0, buffer.count});
    return operation;
  }

  void keep_past() {
    std::vector<Operation> body;
    for (const auto& [buffer, past] : past_) {
      result_.plan.prologue.push_back(copied(past.now, buffer));
      body.push_back(copied(past.before, past.now));
      body.push_back(copied(past.now, buffer));
    }
    body.insert(body.end(), result_.plan.body.begin(), result_.plan.body.end());
    result_.plan.body = std::move(body);
    number_operations(result_.plan);
  }

  const Plan& plan_;
  StaleReads result_;
  std::map<std::uint32_t, Past> past_;                                  // by buffer
  std::map<std::pair<std::uint32_t, std::uint32_t>, ReadBefore> read_;  // by place and buffer
};

}  // namespace

std::optional<StaleReads> with_stale_reads(const Plan& plan) {
  return StaleReadsMaker(plan).make();
}

}  // namespace convoy::plan::check
