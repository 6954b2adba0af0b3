// Compiled once per instruction set, as kernels.cpp is.
#include "plugins/devices/cpu/kernels/table.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {

double gradient_square_sum(const ApplyConstants& c, const float* gradient, const float* parameters,
                           std::size_t count);

namespace {

template <bool kWhole>
inline double value_at(const ApplyConstants& c, const float* gradient, const float* parameters,
                       std::size_t i) {
  const float mean = gradient[i] / c.contributions * c.inverse_loss_scale;
  if (!kWhole) return static_cast<double>(mean);
  return static_cast<double>(c.gradient_scale * (mean + c.weight_decay * parameters[i]));
}

// Eight partial sums in a fixed order: the same value on every instruction set.
template <bool kWhole>
double sum(const ApplyConstants& c, const float* gradient, const float* parameters,
           std::size_t count) {
  double lanes[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const double value = value_at<kWhole>(c, gradient, parameters, i + lane);
      lanes[lane] += value * value;
    }
  }
  double total = 0.0;
  for (; i < count; ++i) {
    const double value = value_at<kWhole>(c, gradient, parameters, i);
    total += value * value;
  }
  for (double lane : lanes) total += lane;
  return total;
}

}  // namespace

double gradient_square_sum(const ApplyConstants& c, const float* gradient, const float* parameters,
                           std::size_t count) {
  return parameters == nullptr ? sum<false>(c, gradient, parameters, count)
                               : sum<true>(c, gradient, parameters, count);
}

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
