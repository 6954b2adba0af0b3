#include "core/plan/print/print.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "core/plan/host_cluster.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/plan/print/dot.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/support/pattern.hpp"

namespace convoy::testing {
namespace {

class Printed : public ::testing::Test {
 protected:
  static std::size_t count(const std::string& text, const std::string& pattern) {
    return Pattern(pattern).all_in(text).size();
  }
  plan::Plan plan(const WritePlan& write) { return write_plan(cluster_, arena_, write); }

  plan::ArenaMap arena_ = small_arena(0);
  plan::Cluster cluster_ = plan::make_single_host(2, true, "cpu");
};

TEST_F(Printed, LogicalPlanHasOneLinePerOperationWithSpansAndVariables) {
  std::ostringstream out;
  const plan::Plan staged = plan(write_staged);
  plan::print_plan(out, staged);
  const std::string text = out.str();
  EXPECT_EQ(count(text, "\n +#\\d+ "), staged.prologue.size() + staged.body.size()) << text;
  EXPECT_NE(text.find("prologue\n"), std::string::npos) << text;
  EXPECT_NE(text.find("body, step 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("apply of 2: master(host:0)[0..137) <- buffer"), std::string::npos) << text;
  EXPECT_NE(text.find("(fc/bias to conv1/kernel)"), std::string::npos) << text;
}

TEST_F(Printed, SizesOfMatricesStandWithTheirOperations) {
  std::ostringstream out;
  plan::print_plan(out, plan([](Planner& p) {
                     p.compute();
                     const Buffer a = p.scratch(PlaceId(0), 12), b = p.scratch(PlaceId(0), 6);
                     p.orthogonalise(a, a, 6, 2);
                     p.matmul(b, a, p.scratch(PlaceId(0), 18), 2, 3, 6, {.transposes_a = true});
                     p.divide(b, b, b, 0.5);
                   }));
  const std::string text = out.str();
  EXPECT_NE(text.find(" orthogonalise 6x2: buffer"), std::string::npos) << text;
  EXPECT_NE(text.find(" matmul 2x6t by 6x3: buffer"), std::string::npos) << text;
  EXPECT_NE(text.find(" divide or 0.5: buffer"), std::string::npos) << text;
}

TEST_F(Printed, CompressionSaysHowMuchItLeaves) {
  std::ostringstream out;
  plan::print_plan(out, plan([](Planner& p) {
                     const Span gradient = p.gradient(ReplicaId(0));
                     const Buffer values = p.scratch(PlaceId(0), 10);
                     const Buffer indices = p.scratch(PlaceId(0), 10, Dtype::kI32);
                     const Coding signs{Code::kSign, 64};
                     const Buffer codes = p.scratch(PlaceId(0), 28, Dtype::kU8);
                     const Buffer scales = p.scratch(PlaceId(0), 3);
                     p.compute();
                     p.top_k(values, indices, gradient);
                     p.scatter(gradient, values, indices, {.messages = 2});
                     p.quantise(codes, scales, gradient, signs);
                     p.dequantise(gradient, codes, scales, signs);
                     p.quantise(p.scratch(PlaceId(0), 137, Dtype::kU8), p.scratch(PlaceId(0), 1),
                                gradient, {Code::k8Bits, 200});
                   }));
  const std::string text = out.str();
  for (const char* line :
       {"top_k of 10: ", "scatter 2 messages: gradient(0)[0..137) <- ",
        "quantise in signs, 64 per scale: ", "dequantise in signs, 64 per scale, 1 message: ",
        "quantise in 8 bits, 200 per scale: "})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST_F(Printed, LoweredPlanHasLanesAndWaits) {
  std::ostringstream out;
  const plan::Plan lowered = plan::lower(plan(write_parameter_server));
  const plan::Schedule schedule = plan::make_schedule(lowered);
  plan::print_plan(out, lowered, &schedule);
  const std::string text = out.str();
  EXPECT_NE(text.find("cpu:0 compute"), std::string::npos) << text;
  EXPECT_GT(count(text, "waits #"), 0u) << text;
  EXPECT_GT(count(text, "#\\d+@1"), 0u) << text;
}

TEST_F(Printed, WhatCrossesTheNetworkStandsThereOnceWithBothEnds) {
  std::ostringstream out;
  const plan::Cluster cluster = plan::make_hosts({2, 1, true, "cpu", {2}});
  const plan::Plan lowered = plan::lower(write_plan(cluster, arena_, write_parameter_server));
  const plan::Schedule schedule = plan::make_schedule(lowered);
  plan::print_plan(out, lowered, &schedule);
  const std::string text = out.str();
  EXPECT_GT(count(text, "cpu:1 to cpu:0 +send and receive: "), 0u) << text;
  EXPECT_GT(count(text, "host:0 to cpu:1 +send and receive: parameters\\(1\\)\\[.*waits #"), 0u)
      << text;
}

TEST_F(Printed, GraphHasEveryOperationAndDashedEdgesAcrossIterations) {
  std::ostringstream out;
  const plan::Plan server = plan(write_parameter_server);
  plan::print_dot(out, server, false);
  const std::string text = out.str();
  EXPECT_EQ(count(text, " \\[label=\"#"), server.body.size()) << text;
  EXPECT_GT(count(text, "style=dashed"), 0u) << text;
  // The sum (6) waits for both backwards (3, 5), the apply (7) for the sum.
  EXPECT_NE(text.find("n3 -> n6;"), std::string::npos) << text;
  EXPECT_NE(text.find("n5 -> n6;"), std::string::npos) << text;
  EXPECT_NE(text.find("n6 -> n7;"), std::string::npos) << text;
  // A copy (0) leads to its forward (2), and through it to the backward.
  EXPECT_NE(text.find("n0 -> n2;"), std::string::npos) << text;
  EXPECT_EQ(text.find("n0 -> n3;"), std::string::npos) << text;
  EXPECT_EQ(count(text, "\\{"), count(text, "\\}"));
}

}  // namespace
}  // namespace convoy::testing
