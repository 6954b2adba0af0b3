// Products, quotients, roots and matrices of the interpreter, by their definitions; what the
// planner refuses of them.

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/plan/reference/arithmetic.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing::algebra_test {
namespace {

using Values = std::vector<float>;

plan::Operation of_kind(plan::OperationKind kind, std::initializer_list<std::uint64_t> sizes = {}) {
  plan::Operation operation;
  operation.kind = kind;
  std::copy(sizes.begin(), sizes.end(), operation.details.edit().sizes);
  return operation;
}

// Numbers in (-1, 1) without a pattern.
Values scattered(std::size_t count) {
  Values result(count);
  std::uint32_t state = 12345;
  for (float& value : result) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<double>(state) / 2147483648.0 - 1);
  }
  return result;
}

TEST(Algebra, AFactorOfOneElementMultipliesAll) {
  const plan::Operation multiply = of_kind(plan::OperationKind::kMultiply);
  EXPECT_EQ(plan::algebra_result(multiply, {{1, 2, 3}, {2, 3, 4}}), (Values{2, 6, 12}));
  EXPECT_EQ(plan::algebra_result(multiply, {{1, 2, 3}, {-2}}), (Values{-2, -4, -6}));
}

TEST(Algebra, AQuotientByZeroIsWhatTheOperationSays) {
  plan::Operation divide = of_kind(plan::OperationKind::kDivide);
  divide.scalar = 7;
  EXPECT_EQ(plan::algebra_result(divide, {{1, 2, 3}, {2, 0, 4}}), (Values{0.5f, 7, 0.75f}));
  EXPECT_EQ(plan::algebra_result(divide, {{1, 2, 3}, {0}}), (Values{7, 7, 7}));
}

TEST(Algebra, InnerProductsAreAddedUpInDouble) {
  const plan::Operation dot = of_kind(plan::OperationKind::kDot);
  EXPECT_EQ(plan::algebra_result(dot, {{1, 2, 3}, {4, 5, 6}}), (Values{32}));
  EXPECT_EQ(plan::algebra_result(dot, {{1e8f, 1, -1e8f}, {1, 1, 1}}), (Values{1}));
  EXPECT_EQ(plan::algebra_result(of_kind(plan::OperationKind::kSquareRoot), {{9, 0, 2.25f}}),
            (Values{3, 0, 1.5f}));
}

TEST(Algebra, EitherFactorOfMatricesMayBeStoredTransposed) {
  const Values a = {1, 2, 3, 4, 5, 6};  // [2, 3], and as [3, 2] its own numbers again
  const Values b = {1, 0, 2, 1, 0, 3};  // [3, 2]
  const Values wanted = {1 + 4, 0 + 2 + 9, 4 + 10, 5 + 18};
  plan::Operation product = of_kind(plan::OperationKind::kMatmul, {2, 2, 3});
  EXPECT_EQ(plan::algebra_result(product, {a, b}), wanted);
  const Values a_stored = {1, 4, 2, 5, 3, 6};
  const Values b_stored = {1, 2, 0, 0, 1, 3};
  product.flags = CONVOY_OP_TRANSPOSES_A;
  EXPECT_EQ(plan::algebra_result(product, {a_stored, b}), wanted);
  product.flags = CONVOY_OP_TRANSPOSES_B;
  EXPECT_EQ(plan::algebra_result(product, {a, b_stored}), wanted);
  product.flags |= CONVOY_OP_TRANSPOSES_A;
  EXPECT_EQ(plan::algebra_result(product, {a_stored, b_stored}), wanted);
}

TEST(Algebra, SeveralMatricesAreMultipliedOneByOne) {
  const plan::Operation product = of_kind(plan::OperationKind::kMatmul, {1, 1, 2, 3});
  EXPECT_EQ(plan::algebra_result(product, {{1, 2, 3, 4, 5, 6}, {1, 1, 1, 0, 0, 1}}),
            (Values{3, 3, 6}));
}

double inner(const Values& matrix, std::size_t columns, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t i = 0; i < matrix.size(); i += columns)
    sum += static_cast<double>(matrix[i + a]) * static_cast<double>(matrix[i + b]);
  return sum;
}

void expect_orthonormal(const Values& matrix, std::size_t columns) {
  for (std::size_t a = 0; a < columns; ++a)
    for (std::size_t b = 0; b <= a; ++b)
      EXPECT_NEAR(inner(matrix, columns, a, b), a == b ? 1 : 0, 1e-6) << a << " " << b;
}

TEST(Algebra, ColumnsBecomeOrthonormalAndSpanWhatTheyDid) {
  const std::size_t rows = 50, columns = 4;
  const Values from = scattered(rows * columns);
  const Values to =
      plan::algebra_result(of_kind(plan::OperationKind::kOrthogonalise, {rows, columns}), {from});
  expect_orthonormal(to, columns);
  for (std::size_t c = 0; c < columns;
       ++c) {  // of every column nothing is left beside those of `to`
    double length = 0, spanned = 0;
    for (std::size_t r = 0; r < rows; ++r)
      length += std::pow(static_cast<double>(from[r * columns + c]), 2);
    for (std::size_t b = 0; b <= c; ++b) {
      double share = 0;
      for (std::size_t r = 0; r < rows; ++r)
        share +=
            static_cast<double>(from[r * columns + c]) * static_cast<double>(to[r * columns + b]);
      spanned += share * share;
    }
    EXPECT_NEAR(spanned, length, 1e-5 * length) << c;
  }
}

TEST(Algebra, ColumnsThatSayNothingNewBecomeUnitVectors) {
  const plan::Operation tall = of_kind(plan::OperationKind::kOrthogonalise, {3, 2});
  EXPECT_EQ(plan::algebra_result(tall, {Values(6, 0.0f)}), (Values{1, 0, 0, 1, 0, 0}));
  const Values doubled = plan::algebra_result(tall, {{0, 0, 3, 6, 4, 8}});
  EXPECT_EQ(doubled, (Values{0, 1, 0.6f, 0, 0.8f, 0}));
  const Values wide = {1, 1, 1, 2, 2, 2, 3, 3, 3};
  expect_orthonormal(
      plan::algebra_result(of_kind(plan::OperationKind::kOrthogonalise, {3, 3}), {wide}), 3);
}

TEST(Algebra, WhatIsNoNumberStaysNone) {
  const Values bad = {1, 2, NAN, 1, 0, 1};
  const Values result =
      plan::algebra_result(of_kind(plan::OperationKind::kOrthogonalise, {3, 2}), {bad});
  EXPECT_TRUE(std::isnan(result[0]) && std::isnan(result[1]));
}

TEST(AlgebraPlans, WhatDoesNotFitIsRefused) {
  const auto span = [](Planner& p, std::uint64_t count) -> Span {
    return p.scratch(PlaceId(0), count);
  };
  EXPECT_PLAN_REFUSED("or the second read is one number",
                      [&](Planner& p) { p.multiply(span(p, 6), span(p, 6), span(p, 2)); });
  EXPECT_PLAN_REFUSED("it writes one number, not 2",
                      [&](Planner& p) { p.dot(span(p, 2), span(p, 6), span(p, 6)); });
  EXPECT_PLAN_REFUSED("spans of 6 and 5 elements",
                      [&](Planner& p) { p.dot(span(p, 1), span(p, 6), span(p, 5)); });
  EXPECT_PLAN_REFUSED("spans do not hold 2x3 by 3x4 matrices",
                      [&](Planner& p) { p.matmul(span(p, 8), span(p, 6), span(p, 11), 2, 4, 3); });
  EXPECT_PLAN_REFUSED("spans do not hold", [&](Planner& p) {  // the product of sizes wraps around
    p.matmul(span(p, 4), span(p, 4), span(p, 4), 1ull << 63, 2, 2);
  });
  EXPECT_PLAN_REFUSED("cannot take the place of its factors", [&](Planner& p) {
    const Span square = span(p, 4);
    p.matmul(square, square, span(p, 4), 2, 2, 2);
  });
  EXPECT_PLAN_REFUSED("cannot all be orthogonal",
                      [&](Planner& p) { p.orthogonalise(span(p, 6), span(p, 6), 2, 3); });
  EXPECT_PLAN_REFUSED("it computes in f32; a span is bf16", [&](Planner& p) {
    const Buffer half = p.scratch(PlaceId(0), 4, Dtype::kBf16);
    p.square_root(half, half);
  });
  EXPECT_PLAN_REFUSED("only matmul transposes", [&](Planner& p) {
    auto add = make_sized<convoy_operation>();
    add.kind = CONVOY_OP_ADD;
    add.place = add.replica = CONVOY_NONE;
    add.flags = CONVOY_OP_TRANSPOSES_A;
    p.emit(add, {span(p, 4), span(p, 4)}, {span(p, 4)});
  });
}

// Two devices that do not address each other.
TEST(AlgebraPlans, WhatLiesElsewhereIsStagedAndAFactorStaysOneNumber) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, false, "cpu");
  std::uint32_t result = 0;
  const plan::Plan plan = write_plan(cluster, arena, [&](Planner& p) {
    p.compute();
    const PlaceId there = p.replica_place(ReplicaId(1));
    const Buffer to = p.persistent(p.replica_place(ReplicaId(0)), p.arena_elements());
    const Buffer factor = p.scratch(there, 3);
    p.fill(factor, 0.75);
    p.multiply(to, p.gradient(ReplicaId(1)), factor[{1, 1}]);
    p.divide(to, to, p.gradient(ReplicaId(1)), 2);
    p.apply(p.parameters(ReplicaId(1)), to);
    result = to.id;
  });
  const plan::Plan lowered = plan::lower(plan, {.staging_elements = 32, .slice_elements = 8});
  EXPECT_GT(lowered.body.size(), plan.body.size() + 10);
  Interpreter meant(plan, sample_options(arena, smooth_gradient));
  Interpreter run(lowered, sample_options(arena, smooth_gradient));
  meant.run(2);
  run.run(2);
  for (std::size_t i = 0; i < arena.elements; ++i) {
    EXPECT_EQ(run.values(result)[i], meant.values(result)[i]) << i;
    EXPECT_NEAR(meant.values(result)[i], 0.75f, 1e-6) << i;
  }
}

TEST(AlgebraPlans, VariablesHaveDimensionsAndKinds) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  write_plan(cluster, arena, [](Planner& p) {
    EXPECT_EQ(p.variable(0).kind, VariableKind::kUnknown);
    EXPECT_FALSE(p.variable(0).matrix);
    const VariableInfo weights = p.variable(1);
    EXPECT_EQ(weights.kind, VariableKind::kWeights);
    EXPECT_EQ(weights.dimensions, (std::vector<std::uint64_t>{6, 10}));
    ASSERT_TRUE(weights.matrix);
    EXPECT_EQ(weights.matrix->rows, 6u);
    EXPECT_EQ(weights.matrix->columns, 10u);
    p.compute();
  });
}

}  // namespace
}  // namespace convoy::testing::algebra_test
