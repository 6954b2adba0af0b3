#include "core/plan/check/recurrence/unstable_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace convoy::check {
namespace {

// The author's memory with the largest part in what grows most.
std::string fastest_growing(const Plan& plan, const LinearSystem& system) {
  constexpr int kPeriods = 64;
  std::vector<double> sizes(system.states.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = 1 + 1 / (static_cast<double>(i) + 3);
  for (int period = 0; period < kPeriods; ++period) {
    std::vector<double> next(sizes.size(), 0.0);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      for (const Addend& it : system.step[i]) next[i] += it.weight.value * sizes[it.index];
    const double largest =
        std::fabs(*std::ranges::max_element(next, {}, [](double size) { return std::fabs(size); }));
    if (!(largest > 0)) return "";
    for (double& size : next) size /= largest;
    sizes = std::move(next);
  }
  std::size_t found = sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (plan.buffers[system.states[i].buffer].kind == CONVOY_BUFFER_PERSISTENT &&
        std::fabs(sizes[i]) > (found < sizes.size() ? std::fabs(sizes[found]) : 1e-6))
      found = i;
  if (found == sizes.size()) return "";
  return fmt::format("; {} grows from step to step", plan.buffer_name(system.states[found].buffer));
}

}  // namespace

std::string growing_memory(const Plan& plan, const LinearSystem& system) {
  for (std::size_t i = 0; i < system.states.size(); ++i) {
    const PlanBuffer& buffer = plan.buffers[system.states[i].buffer];
    const bool keeps = std::ranges::any_of(system.step[i], [&](const Addend& addend) {
      return addend.index == i && std::fabs(addend.weight.value) >= 1;
    });
    if (buffer.kind == CONVOY_BUFFER_PERSISTENT && keeps)
      return fmt::format("; {} is never cleared or reduced",
                         plan.buffer_name(system.states[i].buffer));
  }
  return fastest_growing(plan, system);
}

}  // namespace convoy::check
