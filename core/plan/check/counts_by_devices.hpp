#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/check/check.hpp"

namespace convoy {

// How often a gradient counts in the end, in the plans that one strategy writes for several numbers
// of devices. One plan cannot show a mean that is not divided by the devices: any factor may be
// meant, such as the rate of an outer step. A factor that follows the devices shows it.
class CountsByDevices {
 public:
  // Wrong and unproved reports say nothing.
  void add(const CheckReport& report);

  // Why the counts look like a sum where a mean is meant, or like a mean of means; empty if they
  // do not, or if there are fewer than two numbers of devices above one.
  std::string doubt() const;

 private:
  using Counts = std::vector<std::pair<std::uint32_t, double>>;  // devices, counts
  std::map<std::size_t, Counts> of_stage_;
};

}  // namespace convoy
