#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy {

// An index from elements to the operations of a plan's body that touch them, so that a value can be
// followed without a search through all operations. Buffers are cut into pieces of equal size. An
// operation that is found touches the same piece, but possibly not the span itself.
class SpanUsers {
 public:
  explicit SpanUsers(const Plan& plan) : operations_(plan.body.size()) {
    std::uint64_t largest = 0;
    for (const PlanBuffer& buffer : plan.buffers) largest = std::max(largest, buffer.count);
    piece_elements_ = largest / kMostPieces + 1;
    for (const PlanBuffer& buffer : plan.buffers)
      users_.emplace_back(buffer.count / piece_elements_ + 1);
    for (std::size_t i = 0; i < plan.body.size(); ++i)
      for (const SpanList* spans : {&plan.body[i].reads, &plan.body[i].writes})
        for (const PlanSpan& span : *spans) add(i, span);
  }

  // The first operation behind this one that may touch the span; their number when there is none.
  std::size_t next(const PlanSpan& span, std::size_t after) const {
    std::size_t nearest = operations_;
    for_each_piece(span, [&](std::uint64_t piece) {
      const std::vector<std::uint32_t>& users = users_[span.buffer][piece];
      const auto user = std::upper_bound(users.begin(), users.end(), after);
      if (user != users.end()) nearest = std::min<std::size_t>(nearest, *user);
    });
    return nearest;
  }

 private:
  static constexpr std::uint64_t kMostPieces = 1024;  // of a buffer

  template <typename Visit>
  void for_each_piece(const PlanSpan& span, Visit visit) const {
    if (span.count == 0) return;
    const std::uint64_t last = (span.first + span.count - 1) / piece_elements_;
    for (std::uint64_t piece = span.first / piece_elements_; piece <= last; ++piece) visit(piece);
  }

  void add(std::size_t operation, const PlanSpan& span) {
    for_each_piece(span, [&](std::uint64_t piece) {
      std::vector<std::uint32_t>& users = users_[span.buffer][piece];
      if (users.empty() || users.back() != operation)
        users.push_back(static_cast<std::uint32_t>(operation));
    });
  }

  std::size_t operations_;
  std::uint64_t piece_elements_ = 1;
  std::vector<std::vector<std::vector<std::uint32_t>>> users_;  // by buffer and piece, ascending
};

}  // namespace convoy
