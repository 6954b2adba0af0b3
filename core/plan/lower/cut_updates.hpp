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

  // Returns the pieces of the plan's next update, in program order. They are valid until the next
  // call.
  std::span<const Operation> cut(const Operation& update);

 private:
  // How many updates elements have had before this update in the first iteration, and how many each
  // iteration adds.
  using History = std::pair<std::uint64_t, std::uint64_t>;
  // By the first element with that history, relative to the write's first element.
  using Histories = std::map<std::uint64_t, History>;

  struct Counts {
    UpdateCounts before;      // up to the next update of the first iteration
    UpdateCounts per_period;  // in one run of the body
  };

  bool has_one_history(const Operation& update);
  Histories histories_of(const PlanSpan& span);
  static History history_at(const Histories& histories, std::uint64_t element);
  static Operation with_history(const Operation& update, const std::vector<Histories>& histories,
                                std::uint64_t element, const History& history);

  std::optional<Counts> counts_;  // empty if no update has to be cut
  std::vector<Operation> pieces_;
};

}  // namespace convoy::plan
