#include "core/select/trial_result.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::select {

std::string trial_table(const TrialResult& trial) {
  std::vector<const Tried*> lines;
  std::size_t width = 0;
  for (const Tried& each : trial.tried) {
    lines.push_back(&each);
    width = std::max(width, flags_of(each.candidate).size());
  }
  const auto key = [](const Tried* each) { return each->measured_seconds.value_or(1e300); };
  std::ranges::stable_sort(lines, {}, key);
  std::string text;
  for (const Tried* each : lines) {
    text += fmt::format("  {:<{}}  ", flags_of(each->candidate), width);
    if (each->measured_seconds)
      text +=
          fmt::format("{:9.3f} ms, predicted {:.3f} ms ({} steps)\n", 1e3 * *each->measured_seconds,
                      1e3 * each->predicted_seconds, each->counted_steps);
    else
      text += fmt::format("not tried, predicted {:.3f} ms: {}\n", 1e3 * each->predicted_seconds,
                          each->left_out);
  }
  return text;
}

}  // namespace convoy::select
