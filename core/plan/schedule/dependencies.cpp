#include "core/plan/schedule/dependencies.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/plan/accesses.hpp"

namespace convoy {
namespace {

using Position = Accesses::Position;

class Finder {
 public:
  Finder(const Plan& plan, bool with_lagged)
      : plan_(plan),
        with_lagged_(with_lagged),
        size_(static_cast<Position>(plan.body.size())),
        accesses_(plan) {
    CONVOY_CHECK(2 * plan.body.size() <= Accesses::kPositions);
  }

  DependencyLists run() {
    result_.reserve(size_);
    for (at_ = 0; at_ < size_; ++at_) touch(plan_.body[at_]);
    next_span_ = 0;
    for (; at_ < 2 * size_; ++at_) {
      before_.clear();
      lagged_.clear();
      touch(plan_.body[at_ - size_]);
      record();
    }
    return std::move(result_);
  }

 private:
  // The first iteration only records its accesses.
  bool is_steady() const { return at_ >= size_; }

  void touch(const Operation& operation) {
    for (const PlanSpan& span : operation.reads) read(operation, span);
    for (const PlanSpan& span : operation.writes) write(operation, span);
    if (is_compute(operation.kind)) write(operation, accesses_.activations(operation.replica));
  }

  // Searched in the first iteration; the second has the same.
  std::uint32_t first_stretch(const PlanSpan& span) {
    if (!is_steady()) first_stretches_.push_back(accesses_.first_stretch(span));
    return is_steady() ? first_stretches_[next_span_++] : first_stretches_.back();
  }

  void wait_for(const Accesses::List& list) {
    if (!is_steady()) return;
    accesses_.for_each(list, [this](Position position) { before_.push_back(position); });
  }

  void read(const Operation& operation, const PlanSpan& span) {
    const bool relaxed = (operation.flags & CONVOY_OP_RELAXED_READS) != 0;
    accesses_.visit(first_stretch(span), span, [&](Accesses::Stretch& stretch) {
      if (relaxed) {
        if (operation.max_lag != CONVOY_UNBOUNDED) lag(stretch.writers, operation.max_lag);
        return;
      }
      wait_for(stretch.writers);
      accesses_.append(stretch.readers, at_);
    });
  }

  // Waits for the writers as they were max_lag iterations ago.
  void lag(const Accesses::List& writers, std::uint64_t max_lag) {
    if (!is_steady() || !with_lagged_) return;
    accesses_.for_each(writers, [&](Position writer) {
      const std::uint64_t distance = at_ / size_ - writer / size_ + max_lag;
      lagged_.push_back({writer % size_, static_cast<std::uint32_t>(distance)});
    });
  }

  void write(const Operation& operation, const PlanSpan& span) {
    const bool any_order = (operation.flags & CONVOY_OP_ANY_ORDER) != 0;
    accesses_.visit(first_stretch(span), span, [&](Accesses::Stretch& stretch) {
      const bool commutes = any_order && stretch.any_order;
      wait_for(stretch.readers);
      if (!commutes) {
        wait_for(stretch.writers);
        accesses_.clear(stretch.writers);
        accesses_.clear(stretch.readers);
        stretch.any_order = any_order;
      }
      accesses_.append(stretch.writers, at_);
    });
  }

  void record() {
    std::sort(before_.begin(), before_.end());
    before_.erase(std::unique(before_.begin(), before_.end()), before_.end());
    list_.clear();
    for (const Position before : before_) {
      if (before == at_) continue;  // an operation that reads what it writes
      const bool same_iteration = before >= size_;
      list_.push_back({same_iteration ? before - size_ : before, same_iteration ? 0u : 1u});
    }
    list_.insert(list_.end(), lagged_.begin(), lagged_.end());
    result_.add(list_);
  }

  const Plan& plan_;
  bool with_lagged_;
  Position size_;
  Accesses accesses_;
  Position at_ = 0;
  std::vector<std::uint32_t> first_stretches_;  // of every span in the order of touching
  std::size_t next_span_ = 0;
  std::vector<Position> before_;
  std::vector<Dependency> lagged_;
  std::vector<Dependency> list_;
  DependencyLists result_;
};

}  // namespace

DependencyLists find_dependencies(const Plan& plan) {
  return Finder(plan, true).run();
}

DependencyLists find_strict_dependencies(const Plan& plan) {
  return Finder(plan, false).run();
}

}  // namespace convoy
