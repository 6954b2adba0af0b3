#include "core/plan/check/parts/excerpt.hpp"

#include <utility>

namespace convoy::check {

std::unique_ptr<Excerpt> Excerpt::over_all(const Plan& whole) {
  auto result = std::make_unique<Excerpt>();
  result->plan.cluster = whole.cluster;
  result->plan.arena = whole.arena;
  result->plan.buffers = whole.buffers;
  result->plan.computes = whole.computes;
  return result;
}

void Excerpt::reserve(std::size_t count) {
  operations.reserve(count);
  plan.body.reserve(count);
}

Operation& Excerpt::append(Operation operation, std::vector<Operation>& section) {
  Operation& made = section.emplace_back(std::move(operation));
  operations.push_back(made.id);
  made.id = made.source = static_cast<std::uint32_t>(operations.size() - 1);
  return made;
}

}  // namespace convoy::check
