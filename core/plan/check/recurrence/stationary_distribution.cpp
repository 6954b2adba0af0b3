#include "core/plan/check/recurrence/stationary_distribution.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "core/plan/check/recurrence/core_states.hpp"
#include "core/plan/check/recurrence/field_matrix.hpp"

namespace convoy::plan::check {
namespace {

constexpr std::size_t kMostWeights = 64;  // the most different weights
constexpr std::uint32_t kNever = UINT32_MAX;

using Rows = std::vector<LinearRow>;

bool averages(const Rows& step) {
  return std::ranges::all_of(step, [](const LinearRow& row) {
    Weight sum{0, 0};
    for (const Addend& it : row) sum = sum + it.weight;
    return sum.field == 1 &&
           std::ranges::all_of(row, [](const Addend& it) { return it.weight.value > 0; });
  });
}

// Sets the distance of the states from `from` in edges. Skips states with a known distance.
void walk(const StateLists& next, std::uint32_t from, std::vector<std::uint32_t>& distance) {
  std::vector<std::uint32_t> open{from};
  distance[from] = 0;
  for (std::size_t i = 0; i < open.size(); ++i)
    for (const std::uint32_t other : next[open[i]]) {
      if (distance[other] != kNever) continue;
      distance[other] = distance[open[i]] + 1;
      open.push_back(other);
    }
}

// Returns a state on which all others depend, directly or indirectly; kNever if there is none.
std::uint32_t common_source(const Rows& step) {
  const StateLists users = users_of(step);
  std::vector<std::uint32_t> seen(step.size(), kNever);
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < step.size(); ++i)
    if (seen[i] == kNever) {
      walk(users, i, seen);
      last = i;
    }
  std::vector<std::uint32_t> reached(step.size(), kNever);
  walk(users, last, reached);
  return std::ranges::count(reached, kNever) == 0 ? last : kNever;
}

// Whether there is one closed set of states, and it is aperiodic, as defined for Markov chains.
bool is_ergodic(const Rows& step) {
  const std::uint32_t source = common_source(step);
  if (source == kNever) return false;
  std::vector<std::uint32_t> distance(step.size(), kNever);
  walk(sources_of(step), source, distance);
  std::int64_t rhythm = 0;
  for (std::size_t i = 0; i < step.size(); ++i)
    for (const Addend& it : step[i])
      if (distance[i] != kNever)
        rhythm = std::gcd(rhythm, std::int64_t{distance[i]} + 1 - distance[it.index]);
  return rhythm == 1;
}

// Lumps states as in Markov chains: states of one lump get the same total from the states of every
// lump, so they have equal weights in the conserved sum.
std::vector<std::uint32_t> lumped(const Rows& step, const ValueTable& budget, std::uint32_t where) {
  std::vector<std::uint32_t> kinds(step.size(), 0);
  for (std::size_t count = 1; count <= kMostWeights;) {
    std::vector<std::uint64_t> given(step.size(), 0);
    for (std::size_t i = 0; i < step.size(); ++i) {
      budget.spend(step[i].size() / 8 + 1, where);
      for (const Addend& it : step[i])
        given[it.index] =
            field_add(given[it.index], field_multiply(it.weight.field, field_hash(kinds[i], 0x61)));
    }
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> numbers;
    for (std::size_t i = 0; i < step.size(); ++i)
      kinds[i] =
          numbers.try_emplace({kinds[i], given[i]}, static_cast<std::uint32_t>(numbers.size()))
              .first->second;
    if (numbers.size() == count) return kinds;
    count = numbers.size();
  }
  return {};
}

// Returns the weight of each kind, from w A = w with equal weights within a kind.
std::vector<std::uint64_t> weights_of_kinds(const Rows& step,
                                            const std::vector<std::uint32_t>& kinds) {
  const std::size_t count = *std::ranges::max_element(kinds) + std::size_t{1};
  std::vector<std::size_t> members(count, step.size());  // one member of each kind
  std::vector<std::uint64_t> sizes(count, 0);
  for (std::size_t i = 0; i < step.size(); ++i) {
    members[kinds[i]] = i;
    ++sizes[kinds[i]];
  }
  FieldMatrix change(count, count);
  for (std::size_t k = 0; k < count; ++k) change.at(k, k) = kPrime - 1;
  for (std::size_t i = 0; i < step.size(); ++i)
    for (const Addend& it : step[i]) {
      const std::size_t to = kinds[it.index];
      if (members[to] != it.index) continue;
      std::uint64_t& sum = change.at(to, kinds[i]);
      sum = field_add(sum, it.weight.field);
    }
  const FieldMatrix found = null_space(std::move(change));
  if (found.rows() != 1) return {};
  std::uint64_t total = 0;
  for (std::size_t k = 0; k < count; ++k)
    total = field_add(total, field_multiply(found.at(0, k), sizes[k]));
  if (total == 0) return {};
  std::vector<std::uint64_t> result;
  for (std::size_t k = 0; k < count; ++k)
    result.push_back(field_multiply(found.at(0, k), field_inverse(total)));
  return result;
}

bool is_conserved(const Rows& step, const std::vector<std::uint64_t>& weights) {
  std::vector<std::uint64_t> after(step.size(), 0);
  for (std::size_t i = 0; i < step.size(); ++i)
    for (const Addend& it : step[i])
      after[it.index] = field_add(after[it.index], field_multiply(weights[i], it.weight.field));
  return after == weights;
}

}  // namespace

std::optional<std::vector<std::uint64_t>> stationary_distribution(const LinearSystem& it,
                                                                  const ValueTable& budget) {
  if (!averages(it.step) || !is_ergodic(it.step)) return std::nullopt;
  const std::vector<std::uint32_t> kinds = lumped(it.step, budget, it.reads.front().operation);
  if (kinds.empty()) return std::nullopt;
  const std::vector<std::uint64_t> of_kinds = weights_of_kinds(it.step, kinds);
  if (of_kinds.empty()) return std::nullopt;
  std::vector<std::uint64_t> weights;
  weights.reserve(kinds.size());
  for (const std::uint32_t kind : kinds) weights.push_back(of_kinds[kind]);
  if (!is_conserved(it.step, weights)) return std::nullopt;
  return weights;
}

std::uint64_t periods_to_spread(const LinearSystem& it, std::size_t gradients,
                                const ValueTable& budget) {
  const std::size_t words = (gradients + 63) / 64;
  using Sets = std::vector<std::vector<std::uint64_t>>;
  Sets held(it.states.size(), std::vector<std::uint64_t>(words, 0));
  for (std::size_t i = 0; i < held.size(); ++i)
    for (const Addend& part : it.gradients[i])
      held[i][part.index / 64] |= std::uint64_t{1} << (part.index % 64);
  const auto join = [&](const LinearRow& row) {
    budget.spend(row.size() * words / 512 + 1, it.reads.front().operation);
    std::vector<std::uint64_t> all(words, 0);
    for (const Addend& part : row)
      for (std::size_t w = 0; w < words; ++w) all[w] |= held[part.index][w];
    return all;
  };
  const auto complete = [&](const PeriodRead& read) {
    std::size_t count = 0;
    for (const std::uint64_t word : join(read.states))
      count += static_cast<std::size_t>(std::popcount(word));
    return count == gradients;
  };
  for (std::uint64_t period = 0; period < it.states.size(); ++period) {
    if (std::ranges::all_of(it.reads, complete)) return period;
    Sets next;
    for (const LinearRow& row : it.step) next.push_back(join(row));
    held = std::move(next);
  }
  return it.states.size();
}

}  // namespace convoy::plan::check
