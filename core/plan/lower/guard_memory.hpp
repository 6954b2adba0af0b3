#pragma once

#include <cstdint>
#include <map>

#include "core/plan/lower/guard.hpp"
#include "core/plan/plan.hpp"

namespace convoy::plan {

// The memory of a guarded plan for the loss scale and the gradient's norms. Its home is the memory
// next to the first replica, where norms are combined and the scale is adapted. Other hosts have
// copies, which the plan updates.
class GuardMemory {
 public:
  // Adds new buffers to the plan, whose cluster must be set first.
  GuardMemory(Plan& plan, const LossScale& start) : plan_(plan), start_(start) {}

  std::uint32_t home() const;
  // The place whose scale and norms the operation's engine can address. Error kUsage if it can
  // address neither memory.
  std::uint32_t home_of(const Operation& operation) const;

  // Returns a place's own copy of the loss scale. scales() has the copies of all places. All start
  // with the same value.
  const PlanSpan& scale_at(std::uint32_t place);
  const std::map<std::uint32_t, PlanSpan>& scales() const { return scales_; }
  // Returns the place's buffer of reported norms. It grows with every norm.
  std::uint32_t reports_at(std::uint32_t place);
  std::uint32_t scratch(std::uint32_t place, std::uint64_t count);

  // Adds a copy to the body, in the phase of the operation `like`.
  void copy(const PlanSpan& from, const PlanSpan& to, const Operation& like);

 private:
  std::uint32_t add_buffer(std::uint32_t kind, std::uint32_t place, std::uint64_t count);

  Plan& plan_;
  const LossScale& start_;
  std::map<std::uint32_t, PlanSpan> scales_;        // per place
  std::map<std::uint32_t, std::uint32_t> reports_;  // likewise
};

}  // namespace convoy::plan
