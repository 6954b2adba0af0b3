#pragma once

#include <cstdint>
#include <string>

#include "core/plan/check.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/schedule.hpp"
#include "core/plugin/strategy_plugin.hpp"

namespace convoy {

// A plan for the devices and the storage of one session, ready to run: written by its strategy,
// checked, lowered and scheduled. It stays where it is, because its parts point to each other; the
// strategy must outlive it.
struct PreparedPlan {
  PreparedPlan() = default;
  PreparedPlan(const PreparedPlan&) = delete;
  PreparedPlan& operator=(const PreparedPlan&) = delete;

  StrategyPlugin* strategy = nullptr;  // null: forward only
  std::uint64_t bucket_elements = 0;
  ArenaMap map;
  Plan logical;
  CheckReport check;  // of the logical plan; meaningless when forward only
  Plan lowered;
  Schedule schedule;
};

// Why training cannot pass from this plan to another, or from another to it, between two steps as
// if nothing had happened; empty when it can. It can when every step is a whole synchronous one and
// nothing but the model's values, its optimizer state and the loss scale lives from step to step.
std::string why_not_exchangeable(const PreparedPlan& plan);

}  // namespace convoy
