#include "core/plan/check/recurrence/pulled_back.hpp"

#include "core/plan/check/symbolic/weight.hpp"

namespace convoy::check {

std::optional<double> pulled_back(const std::vector<std::uint64_t>& counts) {
  if (counts.size() < 2 || counts.back() == 0) return std::nullopt;
  const std::uint64_t last = counts.back();
  const std::uint64_t kept = field_multiply(counts[counts.size() - 2], field_inverse(last));
  const double number = number_of(kept);
  if (!(number > 0 && number < 1) || (last != 1 && last != kept)) return std::nullopt;
  for (std::size_t i = 0; i + 1 < counts.size(); ++i)
    if (counts[i] != field_multiply(counts[i + 1], kept)) return std::nullopt;
  return number;
}

}  // namespace convoy::check
