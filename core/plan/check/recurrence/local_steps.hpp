#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::plan::check {

// Local steps: what the forwards of a period read of the gradients of the same period. It shows how
// the plan makes gradients of different computes count differently.
class LocalSteps {
 public:
  LocalSteps(const LinearSystem& system, const ValueTable& values);

  // Whether every replica applies its own gradients alone, and every step pulls its parameters
  // back: a gradient enters undivided, and each later forward, and the end of the period, has
  // `kept` times what the forward before has of it. The last step may go without a pull. `counts`
  // says how often the gradients of each compute count in the end. All are elements of the field.
  bool pulls_back(std::uint64_t kept, const std::vector<std::uint64_t>& counts) const;

  // Whether every forward of every replica reads the gradients of all replicas of all computes
  // before it, with their weight in a mean.
  bool has_all_alike(std::uint64_t replicas) const;

  // Whether every forward reads its replica's own gradients of all computes before it, undivided,
  // and no others.
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
  bool known_ = true;  // they are sums of memory and gradients
};

}  // namespace convoy::plan::check
