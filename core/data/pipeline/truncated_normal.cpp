#include "core/data/pipeline/truncated_normal.hpp"

#include <cmath>

namespace convoy::data {
namespace {

constexpr int kIntervals = 4096;
constexpr double kCut = 2;  // standard deviations

// Returns the distribution function of the standard normal, up to a constant factor and offset.
double distribution(double x) {
  return std::erf(x / std::sqrt(2.0));
}

double standard_quantile(double probability) {
  const double target = (2 * probability - 1) * distribution(kCut);
  double low = -kCut;
  double high = kCut;
  for (int i = 0; i < 50; ++i) {  // halves the interval down to double precision
    const double middle = (low + high) / 2;
    (distribution(middle) < target ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

TruncatedNormal::TruncatedNormal(double mean, double deviation) {
  for (int i = 0; i <= kIntervals; ++i) {
    quantiles_.push_back(mean + deviation * standard_quantile(double(i) / kIntervals));
  }
}

float TruncatedNormal::sample(CounterRandom& random) const {
  const double place = random.uniform() * kIntervals;
  const auto interval = static_cast<std::size_t>(place);
  const double low = quantiles_[interval];
  const double high = quantiles_[interval + 1];
  return static_cast<float>(low + (high - low) * (place - static_cast<double>(interval)));
}

}  // namespace convoy::data
