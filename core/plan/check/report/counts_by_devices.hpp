#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/check/check.hpp"

namespace convoy::plan::check {

// How often a gradient counts in the end, in the plans that one strategy writes for several numbers
// of devices. A single plan cannot show that a sum is not divided by the number of devices, because
// any factor may be intended, such as an outer learning rate. A factor that grows or shrinks with
// the number of devices shows it.
class CountsByDevices {
 public:
  // Wrong and unproved reports are ignored.
  void add(const CheckReport& report);

  // Returns why the counts look like a sum instead of a mean, or like a mean of means. Empty if
  // they do not, or if there are fewer than two numbers of devices above one.
  std::string doubt() const;

 private:
  using Counts = std::vector<std::pair<std::uint32_t, double>>;  // devices, counts
  std::map<std::size_t, Counts> of_stage_;
};

}  // namespace convoy::plan::check
