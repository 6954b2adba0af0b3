#include "core/plan/dependencies.hpp"

#include <algorithm>

namespace convoy {
namespace {

// A position in the body unrolled twice: iteration * size + index.
using Position = std::uint64_t;

struct Access {
  std::vector<Position> writers;  // the last one, or several ANY_ORDER ones
  std::vector<Position> readers;  // since the last write
  bool any_order = false;         // of the writers
};

// Who touched which elements of one buffer last: one entry per stretch between two elements at
// which any span of the body begins or ends.
class Stretches {
 public:
  void note(const PlanSpan& span) {
    begins_.push_back(span.first);
    begins_.push_back(span.first + span.count);
  }
  void settle() {
    std::sort(begins_.begin(), begins_.end());
    begins_.erase(std::unique(begins_.begin(), begins_.end()), begins_.end());
    accesses_.resize(begins_.size());
  }
  template <typename Visit>
  void visit(const PlanSpan& span, Visit visit) {
    const auto begin = std::lower_bound(begins_.begin(), begins_.end(), span.first);
    const std::uint64_t end = span.first + span.count;
    for (auto i = static_cast<std::size_t>(begin - begins_.begin()); begins_[i] < end; ++i)
      visit(accesses_[i]);
  }

 private:
  std::vector<std::uint64_t> begins_;
  std::vector<Access> accesses_;
};

class Finder {
 public:
  explicit Finder(const Plan& plan)
      : plan_(plan), stretches_(plan.buffers.size() + plan.cluster->replicas()) {
    for (const Operation& operation : plan.body) {
      for (const auto* spans : {&operation.reads, &operation.writes})
        for (const PlanSpan& span : *spans) stretches_[span.buffer].note(span);
      if (is_compute(operation.kind)) {
        const PlanSpan span = activations(operation.replica);
        stretches_[span.buffer].note(span);
      }
    }
    for (Stretches& stretches : stretches_) stretches.settle();
  }

  std::vector<std::vector<Dependency>> run() {
    const std::size_t size = plan_.body.size();
    result_.resize(size);
    for (Position at = 0; at < 2 * size; ++at) {
      const Operation& operation = plan_.body[at % size];
      before_.clear();
      for (const PlanSpan& span : operation.reads) read(operation, span, at);
      for (const PlanSpan& span : operation.writes) write(operation, span, at);
      if (is_compute(operation.kind)) write(operation, activations(operation.replica), at);
      if (at >= size) record(at);
    }
    return std::move(result_);
  }

 private:
  PlanSpan activations(std::uint32_t replica) const {
    return {static_cast<std::uint32_t>(plan_.buffers.size()) + replica, CONVOY_F32, 0, 1};
  }

  void read(const Operation& operation, const PlanSpan& span, Position at) {
    const bool relaxed = (operation.flags & CONVOY_OP_RELAXED_READS) != 0;
    stretches_[span.buffer].visit(span, [&](Access& access) {
      if (relaxed) {
        if (operation.max_lag != CONVOY_UNBOUNDED) lag(access.writers, operation.max_lag, at);
        return;
      }
      before_.insert(before_.end(), access.writers.begin(), access.writers.end());
      access.readers.push_back(at);
    });
  }

  // Waits for the writers as they were max_lag iterations ago.
  void lag(const std::vector<Position>& writers, std::uint64_t max_lag, Position at) {
    const std::size_t size = plan_.body.size();
    if (at < size) return;
    for (const Position writer : writers) {
      const std::uint64_t distance = at / size - writer / size + max_lag;
      lagged_.push_back(
          {static_cast<std::uint32_t>(writer % size), static_cast<std::uint32_t>(distance)});
    }
  }

  void write(const Operation& operation, const PlanSpan& span, Position at) {
    const bool any_order = (operation.flags & CONVOY_OP_ANY_ORDER) != 0;
    stretches_[span.buffer].visit(span, [&](Access& access) {
      const bool commutes = any_order && access.any_order;
      before_.insert(before_.end(), access.readers.begin(), access.readers.end());
      if (commutes) {
        access.writers.push_back(at);
        return;
      }
      before_.insert(before_.end(), access.writers.begin(), access.writers.end());
      access.writers.assign(1, at);
      access.readers.clear();
      access.any_order = any_order;
    });
  }

  void record(Position at) {
    const std::size_t size = plan_.body.size();
    std::sort(before_.begin(), before_.end());
    before_.erase(std::unique(before_.begin(), before_.end()), before_.end());
    auto& dependencies = result_[at - size];
    for (const Position before : before_) {
      if (before == at) continue;  // an operation that reads what it writes
      dependencies.push_back({static_cast<std::uint32_t>(before % size), before >= size ? 0u : 1u});
    }
    dependencies.insert(dependencies.end(), lagged_.begin(), lagged_.end());
    lagged_.clear();
  }

  const Plan& plan_;
  std::vector<Stretches> stretches_;
  std::vector<Position> before_;
  std::vector<Dependency> lagged_;
  std::vector<std::vector<Dependency>> result_;
};

}  // namespace

std::vector<std::vector<Dependency>> find_dependencies(const Plan& plan) {
  return Finder(plan).run();
}

}  // namespace convoy
