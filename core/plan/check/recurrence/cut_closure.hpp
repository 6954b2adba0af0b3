#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/plan/check/symbolic/values.hpp"

namespace convoy::plan::check {

// Closes the cuts of memories under moves: every move between two memories begins and ends at cuts,
// and cuts of one side are cuts of the other.
class CutClosure {
 public:
  CutClosure(std::size_t memories, const ValueTable& budget) : cuts_(memories), budget_(budget) {}

  void cut(std::uint32_t memory, std::uint64_t at) { note(memory, at); }
  // Notes that element i of `to`'s range depends on element i + shift of `from`.
  void link(std::uint32_t to, const ElementRange& range, std::uint32_t from, std::int64_t shift);
  // Adds cuts until a fixed point is reached. Throws OverBudget.
  void close();
  // Returns the memory with most cuts.
  std::uint32_t most_cut() const;
  // Returns the stretches of a range, ascending.
  std::vector<ElementRange> pieces(std::uint32_t memory, const ElementRange& range) const;

 private:
  using Link = std::tuple<std::uint32_t, std::uint32_t, std::int64_t>;  // to, from, shift

  void join_ranges();
  void note(std::uint32_t memory, std::uint64_t at) {
    if (cuts_[memory].insert(at).second) open_.push_back({memory, at});
  }

  std::vector<std::set<std::uint64_t>> cuts_;
  std::map<Link, std::map<std::uint64_t, std::uint64_t>> links_;  // first to end, in `to`
  std::vector<std::pair<std::uint32_t, std::uint64_t>> open_;
  const ValueTable& budget_;
};

}  // namespace convoy::plan::check
