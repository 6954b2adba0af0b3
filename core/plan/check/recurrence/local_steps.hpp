#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::plan::check {

// Local steps: the gradients of a period that the forwards of the same period read. They show how
// the plan makes gradients of different computes count differently.
class LocalSteps {
 public:
  LocalSteps(const LinearSystem& system, const ValueTable& values);

  // Whether every replica applies its own gradients alone, and every step pulls its parameters
  // back. Then a gradient enters undivided, and each later forward, and the end of the period,
  // contains `kept` times what the previous forward contains of it. The last step may have no pull.
  // `counts` says how often the gradients of each compute count in the end. All numbers are
  // elements of the field.
  bool pulls_back(std::uint64_t kept, const std::vector<std::uint64_t>& counts) const;

  // Whether every forward of every replica reads the gradients of all replicas of all earlier
  // computes, with their weight in a mean.
  bool has_all_alike(std::uint64_t replicas) const;

  // Whether every forward reads its replica's own gradients of all earlier computes, undivided, and
  // no others.
  bool has_own_in_full() const;

 private:
  struct Read {
    std::uint32_t replica = 0;
    std::uint64_t compute = 0;
    std::map<GradientKey, std::uint64_t> counts;  // undivided
  };

  std::uint64_t computes() const;
  bool covers(std::uint64_t computes) const;
  bool shrinks(const Read& read, std::uint64_t first, std::uint64_t kept) const;

  std::vector<Read> reads_;
  bool known_ = true;  // the reads are sums of memory and gradients
};

}  // namespace convoy::plan::check
