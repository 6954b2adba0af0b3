#pragma once

#include <cstdint>
#include <map>

#include "core/plan/lower/guard.hpp"
#include "core/plan/plan.hpp"

namespace convoy {

// Where a guarded plan keeps the loss scale and the gradient's norms: at home, the memory next to
// the first replica, where the scale is adapted and norms come together. Other hosts have copies of
// their own, which the plan brings up to date.
class GuardMemory {
 public:
  // What is made goes into the plan, which must have its cluster before anything is asked for.
  GuardMemory(Plan& plan, const LossScale& start) : plan_(plan), start_(start) {}

  std::uint32_t home() const;
  // Where the executor of the operation finds the scale and the norms. Error kUsage where it cannot
  // address either memory.
  std::uint32_t home_of(const Operation& operation) const;

  // A place's own copy of the loss scale, and the copies of all places. All start with the same
  // value.
  const PlanSpan& scale_at(std::uint32_t place);
  const std::map<std::uint32_t, PlanSpan>& scales() const { return scales_; }
  // The place's buffer of reported norms. It grows with every norm.
  std::uint32_t reports_at(std::uint32_t place);
  std::uint32_t scratch(std::uint32_t place, std::uint64_t count);

  // Adds a copy to the body, in the phase of another operation.
  void copy(const PlanSpan& from, const PlanSpan& to, const Operation& like);

 private:
  std::uint32_t add_buffer(std::uint32_t kind, std::uint32_t place, std::uint64_t count);

  Plan& plan_;
  const LossScale& start_;
  std::map<std::uint32_t, PlanSpan> scales_;        // per place
  std::map<std::uint32_t, std::uint32_t> reports_;  // likewise
};

}  // namespace convoy
