#include "core/plan/schedule/dependencies.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/plan/accesses.hpp"
#include "core/plan/schedule/lagged_reads.hpp"

namespace convoy::plan {
namespace {

using Position = Accesses::Position;

// How the waits of relaxed reads are returned.
enum class Lagged { kListed, kShared };

class Finder {
 public:
  Finder(const Plan& plan, Lagged lagged)
      : plan_(plan),
        mode_(lagged),
        size_(static_cast<Position>(plan.body.size())),
        accesses_(plan) {
    CONVOY_CHECK(2 * plan.body.size() <= Accesses::kPositions);
  }

  SharedDependencies run() {
    result_.lists.reserve(size_);
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

  // The search takes place in the first iteration; the second one has the same results.
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
    std::uint32_t number = first_stretch(span);
    accesses_.visit(number, span, [&](Accesses::Stretch& stretch) {
      if (relaxed) {
        if (operation.max_lag != CONVOY_UNBOUNDED) lag(stretch, number, operation.max_lag);
        ++number;
        return;
      }
      wait_for(stretch.writers);
      accesses_.append(stretch.readers, at_);
    });
  }

  // A plan may give any number. The largest one here is more iterations than any run goes back.
  static std::uint32_t narrowed(std::uint64_t iterations) {
    constexpr std::uint64_t kMost = 0x7fffffff;
    return static_cast<std::uint32_t>(std::min(iterations, kMost));
  }

  // Adds waits for the writers as they were max_lag iterations ago.
  void lag(const Accesses::Stretch& stretch, std::uint32_t number, std::uint64_t max_lag) {
    if (!is_steady() || stretch.writers.empty()) return;
    if (mode_ == Lagged::kShared && max_lag >= SharedDependencies::kLeastLag &&
        !of_[number].is_ordered)
      return share(stretch, number, max_lag);
    accesses_.for_each(stretch.writers, [&](Position writer) {
      const std::uint64_t distance = at_ / size_ - writer / size_ + max_lag;
      lagged_.push_back({writer % size_, narrowed(distance)});
    });
  }

  // When the first reader comes, the list has the writers of the previous iteration, from the first
  // one to the last.
  void share(const Accesses::Stretch& stretch, std::uint32_t number, std::uint64_t max_lag) {
    SeriesOf& it = of_[number];
    if (it.series == CONVOY_NONE) {
      it.series = static_cast<std::uint32_t>(result_.series.size());
      std::vector<std::uint32_t>& writers = result_.series.emplace_back();
      accesses_.for_each(stretch.writers, [&](Position writer) {
        if (writer < size_) writers.push_back(writer);
      });
    }
    result_.lagged.push_back({at_ - size_, it.series, it.written, narrowed(max_lag)});
  }

  void note_write(std::uint32_t number, bool any_order) {
    if (mode_ != Lagged::kShared) return;
    if (number >= of_.size()) of_.resize(number + 1);
    if (!any_order) of_[number].is_ordered = true;
    if (is_steady()) ++of_[number].written;
  }

  void write(const Operation& operation, const PlanSpan& span) {
    const bool any_order = (operation.flags & CONVOY_OP_ANY_ORDER) != 0;
    std::uint32_t number = first_stretch(span);
    accesses_.visit(number, span, [&](Accesses::Stretch& stretch) {
      note_write(number++, any_order);
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
    result_.lists.add(list_, lagged_);
  }

  // The writers of a stretch.
  struct SeriesOf {
    std::uint32_t series = CONVOY_NONE;
    std::uint32_t written = 0;  // number of writes in this iteration
    bool is_ordered = false;    // some writers wait for earlier ones
  };

  const Plan& plan_;
  Lagged mode_;
  Position size_;
  Accesses accesses_;
  Position at_ = 0;
  std::vector<std::uint32_t> first_stretches_;  // per span, in the order of touching
  std::size_t next_span_ = 0;
  std::vector<Position> before_;
  std::vector<Dependency> lagged_;
  std::vector<Dependency> list_;
  std::vector<SeriesOf> of_;  // by number of the stretch
  SharedDependencies result_;
};

}  // namespace

DependencyLists find_dependencies(const Plan& plan) {
  return Finder(plan, Lagged::kListed).run().lists;
}

SharedDependencies find_shared_dependencies(const Plan& plan) {
  const bool is_strict = std::ranges::none_of(plan.body, is_loose);
  return Finder(plan, is_strict ? Lagged::kListed : Lagged::kShared).run();
}

}  // namespace convoy::plan
