#include "core/plan/check/recurrence/period_updates.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

namespace convoy::plan::check {
namespace {

// Whether the update changes memory with the same contents as a state of the system.
bool is_updated(const LinearSystem& system, const LinearApply& apply) {
  return std::ranges::any_of(system.states, [&](const PeriodState& state) {
    return state.buffer == apply.held_as && state.range.first >= apply.range.first &&
           state.range.first < apply.range.first + apply.range.count;
  });
}

// Returns, for each of a buffer's updates in order, the number of computes whose gradients it is
// the first to receive. Empty if an update receives no new ones.
std::vector<std::uint64_t> new_computes_of(
    const std::map<std::uint32_t, std::set<GradientKey>>& updates) {
  std::vector<std::uint64_t> sizes;
  std::uint64_t end = 0;
  for (const auto& [operation, gradients] : updates) {
    std::set<std::uint64_t> computes;
    for (const GradientKey& it : gradients) computes.insert(it.compute);
    const std::uint64_t first = std::exchange(end, computes.empty() ? end : *computes.rbegin() + 1);
    for (std::uint64_t t = first; t < end; ++t)
      if (!computes.contains(t)) return {};
    if (end <= first) return {};
    sizes.push_back(end - first);
  }
  return sizes;
}

// Whether each of a buffer's updates adds exactly one gradient that no earlier one had.
bool one_more_in_each(const std::map<std::uint32_t, std::set<GradientKey>>& updates,
                      std::size_t gradients) {
  std::set<GradientKey> known;
  for (const auto& [operation, keys] : updates) {
    const std::size_t before = known.size();
    known.insert(keys.begin(), keys.end());
    if (known.size() != before + 1) return false;
  }
  return known.size() == gradients;
}

}  // namespace

PeriodUpdates::PeriodUpdates(const Plan& plan, const LinearSystem& system,
                             const std::vector<LinearApply>& applies, const ValueTable& values)
    : computes_(plan.computes), values_(values) {
  std::ranges::copy_if(applies, std::back_inserter(applies_),
                       [&](const LinearApply& it) { return is_updated(system, it); });
}

PeriodUpdates::GivenGradients PeriodUpdates::given() const {
  GivenGradients result;
  for (const LinearApply& apply : applies_) {
    std::set<GradientKey>& gradients = result[apply.target][apply.operation];
    for (const Term& term : values_.expand(apply.gradient_sum, Casts::kThrough))
      if (const Atom& atom = values_.atom(term.atom); atom.kind == AtomKind::kGradient)
        gradients.insert({atom.replica, atom.step});
  }
  return result;
}

// Returns the new_computes_of() that all buffers have in common. Also empty if gradients wait for
// the next period.
std::vector<std::uint64_t> PeriodUpdates::new_computes() const {
  std::optional<std::vector<std::uint64_t>> of_all;
  for (const auto& [buffer, updates] : given()) {
    std::vector<std::uint64_t> sizes = new_computes_of(updates);
    if (std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) != computes_) return {};
    if (of_all && *of_all != sizes) return {};
    of_all = std::move(sizes);
  }
  return of_all.value_or(std::vector<std::uint64_t>{});
}

std::vector<std::uint64_t> PeriodUpdates::uneven_means(
    const std::vector<std::uint64_t>& counts) const {
  const auto differs = [&](std::uint64_t it) { return it != counts.front(); };
  if (std::ranges::none_of(counts, differs)) return {};
  std::vector<std::uint64_t> updates = new_computes();
  std::size_t compute = 0;
  for (const std::uint64_t computes : updates)
    for (std::uint64_t i = 0; i < computes; ++i)
      if (field_multiply(counts[compute++], computes) !=
          field_multiply(counts.front(), updates.front()))
        return {};
  return updates;
}

std::uint64_t PeriodUpdates::most_of_a_buffer() const {
  std::map<std::uint32_t, std::set<std::uint32_t>> operations;  // by buffer
  for (const LinearApply& it : applies_) operations[it.target].insert(it.operation);
  std::uint64_t most = 1;
  for (const auto& [buffer, updates] : operations)
    most = std::max<std::uint64_t>(most, updates.size());
  return most;
}

std::uint64_t PeriodUpdates::computes_of_a_mean(std::uint64_t sources, std::uint64_t count) const {
  const auto divides_alike = [&](const LinearApply& it) {
    return it.contributions == applies_.front().contributions;
  };
  if (applies_.empty() || !std::ranges::all_of(applies_, divides_alike)) return 1;
  const std::uint64_t most = most_of_a_buffer();
  const std::uint64_t computes = computes_ / most;
  if (computes * most != computes_) return 1;
  if (applies_.front().contributions == computes * sources) return computes;
  const std::vector<std::uint64_t> each = new_computes();
  const bool divides_before = !each.empty() &&
                              std::ranges::count(each, computes) == std::ssize(each) &&
                              field_multiply(count, computes) == 1;
  return divides_before ? computes : 1;
}

bool PeriodUpdates::is_plain_mean(const LinearApply& apply, std::uint64_t sources) const {
  const std::vector<Term> terms = values_.expand(apply.gradient_sum, Casts::kKept);
  return terms.size() == sources && std::ranges::all_of(terms, [&](const Term& term) {
           const Atom& atom = values_.atom(term.atom);
           const Weight counts = term.weight * reciprocal(apply.contributions) * whole(sources);
           return atom.kind == AtomKind::kGradient && counts.field == 1 &&
                  atom.step == values_.atom(terms.front().atom).step;
         });
}

bool PeriodUpdates::are_plain_means(std::uint64_t sources) const {
  return !applies_.empty() && std::ranges::all_of(applies_, [&](const LinearApply& it) {
    return is_plain_mean(it, sources);
  });
}

bool PeriodUpdates::are_means_of_some() const {
  return !applies_.empty() && std::ranges::all_of(applies_, [&](const LinearApply& it) {
    return is_plain_mean(it, it.contributions);
  });
}

bool PeriodUpdates::are_for_each(std::size_t gradients) const {
  const auto divides = [](const LinearApply& it) { return it.contributions != 1; };
  if (applies_.empty() || std::ranges::any_of(applies_, divides)) return false;
  return std::ranges::all_of(
      given(), [&](const auto& it) { return one_more_in_each(it.second, gradients); });
}

}  // namespace convoy::plan::check
