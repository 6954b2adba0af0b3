#pragma once

#include <vector>

#include "core/data/pipeline/counter_random.hpp"

namespace convoy::data {

// A normal distribution cut at two standard deviations on either side of its mean. It is sampled
// through a table of the inverse distribution function with linear interpolation (within 1e-5 of a
// standard deviation), so one random word gives one value.
class TruncatedNormal {
 public:
  TruncatedNormal(double mean, double deviation);

  float sample(CounterRandom& random) const;

 private:
  std::vector<double> quantiles_;  // at 0, 1/n, ..., 1
};

}  // namespace convoy::data
