#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/plan/update_counts.hpp"

namespace convoy::plan {

// Cuts updates where their elements have had different numbers of updates, because devices get one
// number per operation. Most plans update all elements alike: then nothing is cut.
class UpdateCutter {
 public:
  // A plan of one stage, whose elements have had `before` updates when it begins.
  UpdateCutter(const Plan& plan, const UpdateCounts& before);

  // The pieces of the plan's next update, in program order: valid until the next call.
  std::span<const Operation> cut(const Operation& update);

 private:
  // What elements have had before the update in the first iteration, and what each iteration adds.
  using History = std::pair<std::uint64_t, std::uint64_t>;
  // By the first element that has them, relative to the write's.
  using Histories = std::map<std::uint64_t, History>;

  struct Counts {
    UpdateCounts before;      // up to the next update, in the first iteration
    UpdateCounts per_period;  // of one run of the body
  };

  bool has_one_history(const Operation& update);
  Histories histories_of(const PlanSpan& span);
  static History history_at(const Histories& histories, std::uint64_t element);
  static Operation with_history(const Operation& update, const std::vector<Histories>& histories,
                                std::uint64_t element, const History& history);

  std::optional<Counts> counts_;  // nothing if no update has to be cut
  std::vector<Operation> pieces_;
};

}  // namespace convoy::plan
