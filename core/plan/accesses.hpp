#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Whether elements that an operation of this kind writes may depend on their old contents. Updates
// read what they change, and a kernel may leave elements unchanged.
bool changes_in_place(OperationKind kind);

// The last accesses to the elements of all buffers. A buffer is cut where any span of the body
// begins or ends. Between two cuts lies a stretch, whose elements all have the same accesses.
class Accesses {
 public:
  // A position in the body unrolled twice: iteration * size + index.
  using Position = std::uint32_t;
  static constexpr Position kPositions = 0x80000000u;
  // Positions in the order in which they were appended.
  class List {
   public:
    bool empty() const { return value_ == kNone; }

   private:
    friend class Accesses;
    static constexpr std::uint32_t kNone = 0xffffffffu;
    bool is_ring() const { return value_ >= kPositions && value_ != kNone; }
    std::uint32_t tail() const { return value_ - kPositions; }
    // If below kPositions: the only position, as in most lists. Otherwise kPositions plus the last
    // node of a ring.
    std::uint32_t value_ = kNone;
  };
  struct Stretch {
    std::uint64_t begin = 0;
    List writers;            // the last writer, or several ANY_ORDER writers
    List readers;            // the readers since the last write
    bool any_order = false;  // the writers are ANY_ORDER ones
  };

  // Each replica also has a buffer of one element that stands for its activations. These follow the
  // plan's buffers.
  explicit Accesses(const Plan& plan);

  PlanSpan activations(std::uint32_t replica) const {
    return {plan_buffers_ + replica, CONVOY_F32, 0, 1};
  }
  // Returns the number of the span's first stretch; the span's other stretches follow it. If spans
  // of a buffer follow each other, they are found without a search.
  std::uint32_t first_stretch(const PlanSpan& span);
  template <typename Visit>
  void visit(std::uint32_t first, const PlanSpan& span, Visit visit) {
    const std::uint64_t end = span.first + span.count;
    for (std::uint32_t i = first; stretches_[i].begin < end; ++i) visit(stretches_[i]);
  }
  template <typename Visit>
  void for_each(const List& list, Visit visit) const {
    if (list.empty()) return;
    if (!list.is_ring()) return visit(list.value_);
    std::uint32_t node = list.tail();
    do {
      node = nodes_[node].next;
      visit(nodes_[node].position);
    } while (node != list.tail());
  }
  void append(List& list, Position position);
  void clear(List& list);

 private:
  struct Node {
    Position position = 0;
    std::uint32_t next = 0;
  };
  void cut(const Plan& plan);
  std::uint32_t new_node(Position position);

  std::uint32_t plan_buffers_;
  std::vector<std::uint32_t> firsts_;       // per buffer: its first stretch; one more at the end
  std::vector<Stretch> stretches_;          // the last one of a buffer begins behind its last span
  std::vector<std::uint32_t> behind_last_;  // per buffer: the stretch behind the last span searched
  std::vector<Node> nodes_;
  std::uint32_t unused_ = List::kNone;  // the first node of a chain of free nodes
};

}  // namespace convoy::plan
