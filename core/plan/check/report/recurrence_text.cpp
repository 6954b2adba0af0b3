#include "core/plan/check/report/recurrence_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace convoy::plan::check {

std::string fewest_steps(const std::vector<std::uint64_t>& uneven_updates) {
  if (uneven_updates.empty()) return "";
  return fmt::format("{} to ", std::ranges::min(uneven_updates));
}

std::string in_words(const Recurrence& it, std::uint64_t computes) {
  std::string text = "every gradient counts once in the end";
  if (it.nothing_lost) text += ", nothing is lost";
  const std::string counts = it.counts - it.least > 1e-9 * it.counts
                                 ? fmt::format("{:.4g} to {:.4g}", it.least, it.counts)
                                 : fmt::format("{:.4g}", it.counts);
  if (!it.counts_once)
    text = fmt::format("every gradient counts {} times in the end, all replicas alike", counts);
  if (it.by_rate)
    text = fmt::format(
        "every gradient counts {} times in the end, all replicas alike, but "
        "where an apply is given differences of parameters, times its learning rate",
        counts);
  if (!it.uneven_because.empty()) text += ", because " + it.uneven_because;
  if (!it.factors.empty()) text += " beside factors that only the run knows";
  if (it.loses) text += ", but what is rounded or compressed is lost";
  if (it.by_itself) text += ", in an update of its own";
  if (it.means_over > 1)
    text += fmt::format(", in means over {}{} steps", fewest_steps(it.uneven_means), it.means_over);
  std::vector<std::string> renewing;
  for (const auto& [kernel, unused] : it.renewed_by) renewing.push_back(kernel);
  if (!renewing.empty())
    text +=
        fmt::format(", if kernel {} makes other columns in every step", fmt::join(renewing, ", "));
  if (it.delay > 0) text += fmt::format(", first after {} steps", (it.delay + 1) * computes);
  return text;
}

}  // namespace convoy::plan::check
