#include "core/job/tasks/operation_texts.hpp"

#include <gtest/gtest.h>

namespace convoy::job::operation_texts_test {
namespace {

plan::Operation numbered(std::uint32_t id, plan::OperationKind kind) {
  plan::Operation operation;
  operation.id = id;
  operation.kind = kind;
  return operation;
}

// Sums behind a copy, and from step 5 on a fill behind two updates.
plan::Plan staged_plan(const plan::ArenaMap& arena) {
  plan::Plan plan;
  plan.arena = &arena;
  plan.prologue = {numbered(0, plan::OperationKind::kCopy)};
  plan.body = {numbered(1, plan::OperationKind::kSum)};
  plan::PlanStage later;
  later.first_step = 5;
  later.prologue = {numbered(0, plan::OperationKind::kApply),
                    numbered(1, plan::OperationKind::kApply)};
  later.body = {numbered(2, plan::OperationKind::kFill)};
  plan.later.push_back(later);
  return plan;
}

TEST(OperationTexts, AreThoseOfTheStageThatTheStepIsIn) {
  const plan::ArenaMap arena;
  const OperationTexts texts(staged_plan(arena));
  EXPECT_EQ(texts.at(0, 0), "copy") << "nothing follows the name, for it has no variables";
  EXPECT_EQ(texts.at(4, 1), "sum");
  EXPECT_EQ(texts.at(5, 0), "apply");
  EXPECT_EQ(texts.at(5, 1), "apply");
  EXPECT_EQ(texts.at(900, 2), "fill");
}

TEST(OperationTexts, AreEmptyForWhatIsNoOperation) {
  const plan::ArenaMap arena;
  const OperationTexts texts(staged_plan(arena));
  EXPECT_EQ(texts.at(4, 2), "");
  EXPECT_EQ(texts.at(5, 3), "");
  EXPECT_EQ(texts.at(5, -1), "");
  EXPECT_EQ(OperationTexts().at(0, 0), "");
}

}  // namespace
}  // namespace convoy::job::operation_texts_test
