// The checker finds every variant of every strategy to be what it says, and each keeps its claim.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/check/check.hpp"
#include "core/plan/lower/fuse_updates.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/sanitized.hpp"
#include "tests/strategies/strategy_under_test.hpp"
#include "tests/strategies/variants.hpp"

namespace convoy::testing {
namespace {

plan::check::Verdict expected_verdict(const Variant& variant) {
  if (!variant.exchange) return plan::check::Verdict::kIndependent;
  const bool late = variant.parameters_lag + variant.gradients_lag > 0;
  return late ? plan::check::Verdict::kStale : plan::check::Verdict::kSynchronous;
}

void expect_report(const plan::check::CheckReport& report, const Variant& variant,
                   const std::string& claim) {
  for (const plan::check::Finding& finding : report.findings) ADD_FAILURE() << finding.text;
  EXPECT_EQ(report.verdict, expected_verdict(variant)) << report.verdict_text();
  EXPECT_EQ(report.gradient_lag, variant.gradients_lag) << report.verdict_text();
  EXPECT_EQ(report.parameter_lag, static_cast<std::int64_t>(variant.parameters_lag))
      << report.verdict_text();
  EXPECT_EQ(report.zero_start, variant.gradients_lag > 0);
  EXPECT_TRUE(plan::check::satisfies(report, claim))
      << report.verdict_text() << ", claimed " << claim;
}

TEST(Claims, AreProvedForEveryVariant) {
  const plan::ArenaMap arena = ragged_arena();
  for (const Variant& variant : all_variants()) {
    StrategyUnderTest strategy(variant.strategy, variant.options);
    for (const std::uint32_t devices : {2u, 3u, 8u}) {
      if (kSanitized && devices > std::max(3u, variant.fewest_devices)) continue;
      if (devices < variant.fewest_devices || devices > variant.most_devices) continue;
      for (const bool shared_memory : {true, false}) {
        SCOPED_TRACE(variant.name() + ", " + std::to_string(devices) + " devices");
        const plan::Cluster cluster =
            plan::make_single_host(devices, shared_memory, variant.device);
        const plan::Plan plan = strategy.plan(cluster, arena);
        expect_report(plan::check::check_plan(plan), variant, strategy.claim());
        const plan::Plan pieces = plan::lower(plan, {.staging_elements = 32, .slice_elements = 8});
        expect_report(plan::check::check_plan(pieces), variant, strategy.claim());
        const plan::Plan fused =
            plan::lower(plan::fuse_updates(plan, *plan.cluster, false).value_or(plan),
                        {.staging_elements = 32, .slice_elements = 8});
        expect_report(plan::check::check_plan(fused), variant, strategy.claim());
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

}  // namespace
}  // namespace convoy::testing
