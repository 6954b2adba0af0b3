#include "tests/plan/mixed_updates.hpp"

#include <fmt/format.h>

#include "core/plan/stages.hpp"
#include "core/plan/update_counts.hpp"

namespace convoy::testing {
namespace {

constexpr std::uint64_t kLastPeriods = 4;

std::uint64_t periods_of(const plan::Plan& plan, std::size_t stage) {
  if (stage + 1 == plan::stage_count(plan)) return kLastPeriods;
  return (plan::first_step_of(plan, stage + 1) - plan::first_step_of(plan, stage)) /
         plan::computes_of(plan, stage);
}

// Counts the update. Whether its elements have had as many before it, also by what it is told.
bool is_uniform(const plan::Operation& update, plan::UpdateCounts& counts) {
  const std::uint64_t first = counts.cells_of(update.writes.front()).front().updates;
  bool uniform = true;
  for (const plan::PlanSpan& span : update.writes)
    for (const plan::UpdateCounts::Cell& cell : counts.cells_of(span))
      uniform = uniform && cell.updates == first;
  return counts.count(update) == first && uniform;
}

}  // namespace

std::string first_mixed_update(const plan::Plan& lowered) {
  plan::UpdateCounts counts(lowered);
  const auto sections = plan::sections_of(lowered);
  for (std::size_t stage = 0; stage < plan::stage_count(lowered); ++stage)
    for (std::uint64_t run = 0; run <= periods_of(lowered, stage); ++run)
      for (const plan::Operation& operation : *sections[2 * stage + (run == 0 ? 0 : 1)])
        if (operation.kind == plan::OperationKind::kApply && !is_uniform(operation, counts))
          return fmt::format("operation {} of stage {}", operation.id, stage);
  return "none";
}

}  // namespace convoy::testing
