#include "tests/plan/lower/guarded_plans.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/plan/check/check.hpp"

namespace convoy::testing {

plan::GuardOptions clipping() {
  plan::GuardOptions options;
  options.clip_norm = kLimit;
  return options;
}

plan::GuardOptions automatic(double scale, std::uint64_t increase_every) {
  plan::GuardOptions options;
  options.automatic_loss_scale = true;
  options.loss_scale.scale = scale;
  options.increase_every = increase_every;
  return options;
}

plan::GuardOptions everything() {
  plan::GuardOptions options = automatic(1024, 2);
  options.clip_norm = kLimit;
  options.gradient_norms = true;
  return options;
}

plan::Plan guarded(const plan::Plan& plan, const plan::GuardOptions& options) {
  return plan::guard(plan, plan::check::check_plan(plan), options);
}

std::string refusal(const plan::Plan& plan, const plan::GuardOptions& options) {
  try {
    guarded(plan, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "accepted";
}

}  // namespace convoy::testing
