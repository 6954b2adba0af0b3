#include "core/plan/check/recurrence/core_states.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/plan/check/recurrence/matrix_limit.hpp"

namespace convoy::plan::check {
namespace {

using Rows = std::vector<LinearRow>;

LinearRow row(std::initializer_list<std::pair<std::uint32_t, double>> parts) {
  LinearRow result;
  for (const auto& [index, weight] : parts) result.push_back({index, from_scalar(weight)});
  return result;
}

FieldMatrix power(const Rows& step, int doublings) {
  FieldMatrix result = to_matrix(step, step.size());
  for (int i = 0; i < doublings; ++i) result = multiply(result, result);
  return result;
}

void expect_equal(const FieldMatrix& a, const FieldMatrix& b) {
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (std::size_t c = 0; c < a.columns(); ++c) ASSERT_EQ(a.at(r, c), b.at(r, c)) << r << c;
}

// Two residuals are emptied into parameters, of which a copy is kept, and a copy of the copy.
TEST(CoreStates, AreThoseThatRemember) {
  const Rows step = {
      {}, row({{0, 1}}), row({{0, 1}, {1, -1}, {2, 1}}), row({{2, 1}}), row({{3, 0.5}})};
  const CoreStates states = core_states(step);
  EXPECT_EQ(states.fading, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(states.core, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(states.following, (std::vector<std::uint32_t>{4, 3}));
  const Limit limit = limit_of(step);
  EXPECT_EQ(limit.kind, Stability::kConverges);
  expect_equal(multiply(limit.kept, limit.conserved), power(step, 3));
}

// Chains of states of either kind around cores that keep what they have: after as many periods as
// there are states their powers stand still, and that is the limit.
TEST(CoreStates, ExtendToTheLimitOfAllStates) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const auto states = static_cast<std::uint32_t>(3 + random() % 10);
    const auto kept = static_cast<std::uint32_t>(1 + random() % 2);
    const auto fading = static_cast<std::uint32_t>(random() % (states - kept));
    Rows step(states);
    for (std::uint32_t i = 0; i < states; ++i) {
      const bool is_core = i >= fading && i < fading + kept;
      // No part of one core in the other.
      const std::uint32_t sources = is_core ? fading : i;
      for (std::uint32_t j = 0; j < sources; ++j)
        if (random() % 3 == 0)
          step[i].push_back({j, from_scalar(static_cast<double>(random() % 4) - 1.5)});
      if (is_core) step[i].push_back({i, from_scalar(1)});
    }
    const CoreStates parts = core_states(step);
    EXPECT_EQ(parts.core.size(), kept);
    const Limit limit = limit_of(step);
    ASSERT_EQ(limit.kind, Stability::kConverges);
    expect_equal(multiply(limit.kept, limit.conserved), power(step, 4));
  }
}

TEST(CoreStates, DoNotHideWhatGrows) {
  EXPECT_EQ(limit_of({{}, row({{0, 1}, {1, 2}}), row({{1, 1}})}).kind, Stability::kDiverges);
  EXPECT_EQ(limit_of({row({{0, 1}}), row({{0, 1}, {1, 1}})}).kind, Stability::kDiverges);
  EXPECT_EQ(limit_of({{}, row({{0, 1}, {1, -1}})}).kind, Stability::kOscillates);
}

}  // namespace
}  // namespace convoy::plan::check
