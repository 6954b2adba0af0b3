#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// An index from elements to the operations of a plan's body that touch them, so that a value can be
// followed without a search through all operations. Buffers are cut into pieces of equal size. An
// operation that is found touches the same piece, but perhaps not the span itself.
class SpanUsers {
 public:
  explicit SpanUsers(const Plan& plan) : operations_(plan.body.size()) {
    std::uint64_t largest = 0;
    for (const PlanBuffer& buffer : plan.buffers) largest = std::max(largest, buffer.count);
    piece_elements_ = largest / kMostPieces + 1;
    first_pieces_.reserve(plan.buffers.size());
    std::size_t pieces = 0;
    for (const PlanBuffer& buffer : plan.buffers) {
      first_pieces_.push_back(pieces);
      pieces += buffer.count / piece_elements_ + 1;
    }
    ends_.assign(pieces + 1, 0);
    for_each_use(plan, [&](std::size_t piece, std::uint32_t) { ++ends_[piece + 1]; });
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    users_.resize(ends_.back());
    std::vector<std::size_t> next(ends_.begin(), ends_.end() - 1);
    for_each_use(plan, [&](std::size_t piece, std::uint32_t operation) {
      users_[next[piece]++] = operation;
    });
  }

  // Returns the first operation after this one that may touch the span; the number of operations if
  // there is none.
  std::size_t next(const PlanSpan& span, std::size_t after) const {
    std::size_t nearest = operations_;
    for_each_piece(span, [&](std::size_t piece) {
      const auto end = users_.begin() + static_cast<std::ptrdiff_t>(ends_[piece + 1]);
      const auto user =
          std::upper_bound(users_.begin() + static_cast<std::ptrdiff_t>(ends_[piece]), end, after);
      if (user != end) nearest = std::min<std::size_t>(nearest, *user);
    });
    return nearest;
  }

 private:
  static constexpr std::uint64_t kMostPieces = 1024;  // per buffer

  template <typename Visit>
  void for_each_piece(const PlanSpan& span, Visit visit) const {
    if (span.count == 0) return;
    const std::uint64_t last = (span.first + span.count - 1) / piece_elements_;
    const std::size_t before = first_pieces_[span.buffer];
    for (std::uint64_t piece = span.first / piece_elements_; piece <= last; ++piece)
      visit(before + piece);
  }

  // Calls visit(piece, operation) in the order of operations, possibly several times for one pair.
  template <typename Visit>
  void for_each_use(const Plan& plan, Visit visit) const {
    for (std::uint32_t i = 0; i < operations_; ++i)
      for (const SpanList* spans : {&plan.body[i].reads, &plan.body[i].writes})
        for (const PlanSpan& span : *spans)
          for_each_piece(span, [&](std::size_t piece) { visit(piece, i); });
  }

  std::size_t operations_;
  std::uint64_t piece_elements_ = 1;
  std::vector<std::size_t> first_pieces_;  // by buffer
  std::vector<std::size_t> ends_;          // per piece: the end of its users; begins with a 0
  std::vector<std::uint32_t> users_;       // per piece, ascending
};

// Goes through the operations that may touch any of some spans, in order.
class UsersInOrder {
 public:
  UsersInOrder(const SpanUsers& users, std::size_t after) : users_(users), at_(after) {}

  // Adds a span, whose users are visited from here on, too.
  void add(const PlanSpan& span) { next_.push({users_.next(span, at_), span}); }
  template <typename Spans>
  void add_all(const Spans& spans) {
    for (const PlanSpan& span : spans) add(span);
  }
  // Returns the next user, as SpanUsers::next(). Requires that there are spans.
  std::size_t next() {
    while (next_.top().operation <= at_) {
      const PlanSpan span = next_.top().span;
      next_.pop();
      add(span);
    }
    return at_ = next_.top().operation;
  }

 private:
  struct Next {
    std::size_t operation = 0;
    PlanSpan span{};
    bool operator>(const Next& other) const { return operation > other.operation; }
  };

  const SpanUsers& users_;
  std::size_t at_;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next_;
};

}  // namespace convoy::plan
