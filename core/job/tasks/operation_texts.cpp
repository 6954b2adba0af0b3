#include "core/job/tasks/operation_texts.hpp"

#include <fmt/format.h>

#include "core/plan/operation.hpp"
#include "core/plan/print/print.hpp"
#include "core/plan/stages.hpp"

namespace convoy::job {
namespace {

std::string words_of(const plan::Plan& plan, const plan::Operation& operation) {
  std::string text(plan::operation_name(operation.kind));
  const std::string variables = plan::operation_variables(plan, operation);
  return variables.empty() ? text : fmt::format("{} {}", text, variables);
}

}  // namespace

OperationTexts::OperationTexts(const plan::Plan& plan) {
  for (std::size_t stage = 0; stage < plan::stage_count(plan); ++stage) {
    const plan::Plan own = plan::stage_of(plan, stage);
    Stage& it = stages_.emplace_back(Stage{plan::first_step_of(plan, stage), {}});
    for (const auto* operations : {&own.prologue, &own.body})
      for (const plan::Operation& operation : *operations)
        it.texts.push_back(words_of(own, operation));
  }
}

std::string OperationTexts::at(std::uint64_t step, std::int64_t operation) const {
  const Stage* found = nullptr;
  for (const Stage& stage : stages_)
    if (stage.first_step <= step) found = &stage;
  if (found == nullptr || operation < 0 ||
      operation >= static_cast<std::int64_t>(found->texts.size()))
    return "";
  return found->texts[static_cast<std::size_t>(operation)];
}

}  // namespace convoy::job
