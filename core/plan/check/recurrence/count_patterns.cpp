#include "core/plan/check/recurrence/count_patterns.hpp"

#include <algorithm>

#include "core/plan/check/symbolic/weight.hpp"

namespace convoy::plan::check {
namespace {

// Whether the last gradient counts as often as a momentum with this factor makes it, and the one
// before it by `more` more often.
bool begins_anew(std::uint64_t last, std::uint64_t more, std::uint64_t factor) {
  const std::uint64_t entering = field_subtract(1, factor);
  const auto enters = [&](std::uint64_t weight) { return weight == 1 || weight == entering; };
  if (enters(last) && more == field_multiply(last, factor)) return true;
  const std::uint64_t nesterov = field_divide(last, field_add(1, factor));
  return enters(nesterov) && more == field_multiply(nesterov, field_multiply(factor, factor));
}

// Whether each gradient counts more than the next one, by differences that shrink by this factor
// towards earlier gradients.
bool is_factor(std::uint64_t factor, std::uint64_t last, const std::vector<std::uint64_t>& more) {
  const double number = number_of(factor);
  if (!(number > 0 && number < 1) || !begins_anew(last, more.front(), factor)) return false;
  for (std::size_t i = 0; i + 1 < more.size(); ++i)
    if (more[i + 1] != field_multiply(more[i], factor)) return false;
  return true;
}

// Returns possible factors. Two computes have only one difference, so the factor depends on the
// kind of momentum: the plain one, Nesterov's, and the one in which (1 - factor) g enters.
std::vector<std::uint64_t> candidates(std::uint64_t last, const std::vector<std::uint64_t>& more) {
  if (more.size() > 1) return {field_divide(more[1], more[0])};
  return {field_divide(more[0], last), field_subtract(last, 1),
          field_subtract(1, field_divide(more[0], field_subtract(1, last)))};
}

}  // namespace

std::optional<double> restarted_momentum(const std::vector<std::uint64_t>& counts) {
  if (counts.size() < 2) return std::nullopt;
  std::vector<std::uint64_t> more;  // than the next gradient, from the last but one backwards
  for (std::size_t i = counts.size() - 1; i > 0; --i)
    more.push_back(field_subtract(counts[i - 1], counts[i]));
  if (more.front() == 0 || counts.back() == 0) return std::nullopt;
  const std::vector<std::uint64_t> all = candidates(counts.back(), more);
  const auto found = std::ranges::find_if(
      all, [&](std::uint64_t factor) { return is_factor(factor, counts.back(), more); });
  if (found == all.end()) return std::nullopt;
  return number_of(*found);
}

std::optional<double> proximal_pull(const std::vector<std::uint64_t>& counts) {
  if (counts.size() < 2 || counts.back() == 0) return std::nullopt;
  const std::uint64_t last = counts.back();
  const std::uint64_t kept = field_divide(counts[counts.size() - 2], last);
  const double number = number_of(kept);
  if (!(number > 0 && number < 1) || (last != 1 && last != kept)) return std::nullopt;
  for (std::size_t i = 0; i + 1 < counts.size(); ++i)
    if (counts[i] != field_multiply(counts[i + 1], kept)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> averaged_iterates(const std::vector<std::uint64_t>& counts) {
  if (counts.size() < 2 || counts.front() != 1 || counts.back() == 0) return std::nullopt;
  const std::uint64_t of_one = counts.back();
  std::uint64_t points = 1;
  for (std::size_t i = counts.size() - 1; i > 0; --i) {
    const std::uint64_t more = field_subtract(counts[i - 1], counts[i]);
    if (more != 0 && more != of_one) return std::nullopt;
    points += more != 0 ? 1 : 0;
  }
  if (points < 2 || field_multiply(of_one, points) != 1) return std::nullopt;
  return points;
}

std::optional<double> delayed_mixing(const std::vector<std::uint64_t>& counts) {
  const auto less = std::ranges::find_if(counts, [](std::uint64_t it) { return it != 1; });
  if (less == counts.end() || std::ranges::count(counts, std::uint64_t{1}) == 0)
    return std::nullopt;
  const double number = number_of(*less);
  if (!(number > 0 && number < 1)) return std::nullopt;
  std::size_t changes = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 1 && counts[i] != *less) return std::nullopt;
    changes += counts[i] != counts[(i + 1) % counts.size()] ? 1 : 0;
  }
  if (changes != 2) return std::nullopt;
  return number;
}

}  // namespace convoy::plan::check
