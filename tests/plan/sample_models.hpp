#pragma once

#include <functional>

#include <convoy/planner.hpp>

#include "core/plan/plan.hpp"

namespace convoy::testing {

// 5 variables, 3 segments, 137 elements; buckets of about so many elements, 0 = one.
plan::ArenaMap small_arena(std::uint64_t bucket_elements);
// The same model with buckets that end in the middle of variables, at odd elements.
plan::ArenaMap ragged_arena();
// `variables` variables of about elements / variables each, one segment per ten of them.
plan::ArenaMap large_arena(std::uint64_t elements, std::uint32_t variables, std::uint32_t buckets);

using WritePlan = std::function<void(Planner&)>;

// What a strategy without a plug-in file writes; Error when the planner refuses it.
plan::Plan write_plan(const plan::Cluster& cluster, const plan::ArenaMap& arena,
                      const WritePlan& write);
// Why the planner refuses it on one host, "accepted" if it does not.
std::string plan_refusal(const WritePlan& write, std::uint32_t replicas = 2);

#define EXPECT_PLAN_REFUSED(text, ...) \
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, text, plan_refusal(__VA_ARGS__))

}  // namespace convoy::testing
