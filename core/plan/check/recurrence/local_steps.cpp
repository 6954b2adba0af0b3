#include "core/plan/check/recurrence/local_steps.hpp"

#include <algorithm>

namespace convoy::plan::check {

LocalSteps::LocalSteps(const LinearSystem& system, const ValueTable& values) {
  for (const PeriodRead& it : system.reads) {
    Read& read = reads_.emplace_back(Read{it.replica, it.compute, {}});
    for (const Term& term : values.expand(it.value, Casts::kThrough)) {
      const Atom& atom = values.atom(term.atom);
      known_ = known_ && atom.kind != AtomKind::kOpaque && term.shift == 0;
      if (atom.kind != AtomKind::kGradient) continue;
      std::uint64_t& sum = read.counts[{atom.replica, atom.step}];
      sum = field_add(sum, counted(term.weight.field, 1));
    }
    std::erase_if(read.counts, [](const auto& count) { return count.second == 0; });
  }
}

// Whether every replica that reads anything does so in all computes.
bool LocalSteps::covers(std::uint64_t computes) const {
  std::map<std::uint32_t, std::set<std::uint64_t>> of_replica;
  for (const Read& read : reads_) of_replica[read.replica].insert(read.compute);
  return known_ && std::ranges::all_of(
                       of_replica, [&](const auto& it) { return it.second.size() == computes; });
}

// Whether the read contains the replica's own gradients alone, each `kept` times as often as the
// next one, and the last one `first` times.
bool LocalSteps::shrinks(const Read& read, std::uint64_t first, std::uint64_t kept) const {
  if (read.counts.size() != read.compute) return false;
  return std::ranges::all_of(read.counts, [&](const auto& it) {
    const auto& [gradient, count] = it;
    return gradient.replica == read.replica && gradient.compute < read.compute &&
           count == field_multiply(first, field_power(kept, read.compute - 1 - gradient.compute));
  });
}

bool LocalSteps::pulls_back(std::uint64_t kept, const std::vector<std::uint64_t>& counts) const {
  const std::size_t computes = counts.size();
  if (computes < 2 || !covers(computes)) return false;
  return std::ranges::any_of(std::vector<std::uint64_t>{1, kept}, [&](std::uint64_t first) {
    const auto ends_like = [&](std::uint64_t pulls) {
      for (std::size_t j = 0; j + 1 < computes; ++j)
        if (counts[j] != field_multiply(first, field_power(kept, pulls - j))) return false;
      return true;
    };
    const bool to_the_end = counts.back() == first && ends_like(computes - 1);
    const bool but_last =
        first == kept && counts.back() == 1 && computes > 2 && ends_like(computes - 2);
    return (to_the_end || but_last) &&
           std::ranges::all_of(reads_, [&](const Read& it) { return shrinks(it, first, kept); });
  });
}

std::uint64_t LocalSteps::computes() const {
  std::set<std::uint64_t> computes;
  for (const Read& read : reads_) computes.insert(read.compute);
  return computes.size();
}

bool LocalSteps::has_own_in_full() const {
  return covers(computes()) &&
         std::ranges::all_of(reads_, [&](const Read& it) { return shrinks(it, 1, 1); });
}

bool LocalSteps::has_all_alike(std::uint64_t replicas) const {
  return covers(computes()) && std::ranges::all_of(reads_, [&](const Read& read) {
           return read.counts.size() == replicas * read.compute &&
                  std::ranges::all_of(read.counts, [&](const auto& it) {
                    return it.first.compute < read.compute &&
                           field_multiply(it.second, replicas) == 1;
                  });
         });
}

}  // namespace convoy::plan::check
