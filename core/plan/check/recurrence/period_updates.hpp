#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::plan::check {

// The updates that a period makes to one linear system: the gradients that each receives, and the
// number of computes over which it takes the mean.
class PeriodUpdates {
 public:
  PeriodUpdates(const Plan& plan, const LinearSystem& system,
                const std::vector<LinearApply>& applies, const ValueTable& values);

  // If updates take means over different numbers of computes, returns the number of each update, in
  // order. Gradients then count in inverse proportion to it. Otherwise empty. `counts` says how
  // often the gradients of each compute count, as elements of the field.
  std::vector<std::uint64_t> uneven_means(const std::vector<std::uint64_t>& counts) const;

  // Returns the number of computes over which every update takes the mean. Either the update
  // divides by the number of their gradients, one from each of the `sources` replicas, or the plan
  // divides before it updates. In that case every gradient counts `count` times, an element of the
  // field.
  std::uint64_t computes_of_a_mean(std::uint64_t sources, std::uint64_t count) const;

  // Returns the number of updates of the buffer with most updates, whatever gradients they receive.
  std::uint64_t most_of_a_buffer() const;

  // Whether every update is the mean of one gradient from each of the `sources` replicas, all of
  // one compute, and of nothing else.
  bool are_plain_means(std::uint64_t sources) const;

  // The same for any replicas.
  bool are_means_of_some() const;

  // Whether all updated memory receives an undivided update for every single gradient.
  bool are_for_each(std::size_t gradients) const;

 private:
  // The gradients, by buffer and operation.
  using GivenGradients = std::map<std::uint32_t, std::map<std::uint32_t, std::set<GradientKey>>>;

  bool is_plain_mean(const LinearApply& apply, std::uint64_t sources) const;
  GivenGradients given() const;
  std::vector<std::uint64_t> new_computes() const;

  std::uint64_t computes_;  // computes of the period
  const ValueTable& values_;
  std::vector<LinearApply> applies_;
};

}  // namespace convoy::plan::check
