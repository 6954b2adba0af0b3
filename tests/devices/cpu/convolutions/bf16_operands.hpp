// Operands of gradients of weights by bf16 products, and the sums that they should give.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

#include "plugins/devices/cpu/convolutions/bf16_row_gradient.hpp"
#include "plugins/devices/cpu/convolutions/bf16_weights_gradient.hpp"

namespace convoy::cpu {

inline std::ostream& operator<<(std::ostream& to, const ConvolutionShape& shape) {
  return to << shape.batch << 'x' << shape.in_height << 'x' << shape.in_width << 'x'
            << shape.in_channels << " -> " << shape.out_height << 'x' << shape.out_width << 'x'
            << shape.out_channels << ", " << shape.kernel_height << 'x' << shape.kernel_width
            << " stride " << shape.stride_height << ',' << shape.stride_width << ", padding "
            << shape.pad_top << ',' << shape.pad_left;
}

// Where the weight of an output, an input and a place of the filter lies.
template <typename Gradient>
std::size_t weight_at(const ConvolutionShape& shape, std::size_t o, std::size_t i, std::size_t y,
                      std::size_t x);

// OIhw16i16o.
template <>
inline std::size_t weight_at<Bf16WeightsGradient>(const ConvolutionShape& shape, std::size_t o,
                                                  std::size_t i, std::size_t y, std::size_t x) {
  const std::size_t filter = o / 16 * (shape.in_channels / 16) + i / 16;
  const std::size_t tap = (filter * shape.kernel_height + y) * shape.kernel_width + x;
  return (tap * 16 + i % 16) * 16 + o % 16;
}

// OIHW.
template <>
inline std::size_t weight_at<Bf16RowGradient>(const ConvolutionShape& shape, std::size_t o,
                                              std::size_t i, std::size_t y, std::size_t x) {
  return ((o * shape.in_channels + i) * shape.kernel_height + y) * shape.kernel_width + x;
}

inline float float_of(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

// Values of both signs, from 1/32 to 2.
inline std::vector<Bf16> some_values(std::size_t count, std::uint64_t seed) {
  std::vector<Bf16> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t mixed = (i + seed) * 0x9E3779B97F4A7C15u;
    const std::uint64_t sign = mixed >> 63 << 15;
    const std::uint64_t exponent = 122 + (mixed >> 40) % 6;
    values[i] = static_cast<Bf16>(sign | exponent << 7 | (mixed >> 20) % 128);
  }
  return values;
}

// What a gradient of weights is computed from, and the result. `Gradient` writes weights in order
// of weight_at().
template <typename Gradient>
class Bf16Operands {
 public:
  explicit Bf16Operands(const ConvolutionShape& shape)
      : shape_(shape),
        source_(some_values(shape.batch * shape.in_height * shape.in_width * shape.in_channels, 1)),
        result_(some_values(shape.batch * shape.out_height * shape.out_width * shape.out_channels,
                            1000)),
        weights_(shape.in_channels * shape.out_channels * shape.kernel_height * shape.kernel_width,
                 NAN),
        bias_(shape.out_channels, NAN) {}

  void run(std::size_t threads) {
    const Gradient gradient(shape_);
    std::vector<std::byte> scratch(gradient.scratch_bytes(threads), std::byte{0xff});
    gradient.run({source_.data(), result_.data(), weights_.data(), bias_.data(), scratch.data()},
                 threads);
  }

  float source(std::size_t n, std::size_t y, std::size_t x, std::size_t c) const {
    const std::size_t pixel = (n * shape_.in_height + y) * shape_.in_width + x;
    return float_of(source_[pixel * shape_.in_channels + c]);
  }
  float result(std::size_t n, std::size_t y, std::size_t x, std::size_t c) const {
    const std::size_t pixel = (n * shape_.out_height + y) * shape_.out_width + x;
    return float_of(result_[pixel * shape_.out_channels + c]);
  }
  float weight(std::size_t o, std::size_t i, std::size_t y, std::size_t x) const {
    return weights_[weight_at<Gradient>(shape_, o, i, y, x)];
  }
  const ConvolutionShape& shape() const { return shape_; }
  const std::vector<float>& weights() const { return weights_; }
  const std::vector<float>& bias() const { return bias_; }

 private:
  ConvolutionShape shape_;
  std::vector<Bf16> source_, result_;
  std::vector<float> weights_, bias_;
};

// A sum in double precision, and how far one in f32 may be off: terms are exact, each of the
// additions rounds a partial sum that is at most the sum of magnitudes.
class ExpectedSum {
 public:
  void add(double term) {
    value_ += term;
    magnitude_ += std::abs(term);
    ++terms_;
  }
  double value() const { return value_; }
  double bound() const { return std::ldexp(static_cast<double>(terms_), -24) * magnitude_; }

 private:
  double value_ = 0.0, magnitude_ = 0.0;
  std::size_t terms_ = 0;
};

template <typename Operands>
ExpectedSum expected_sum(const Operands& operands, std::size_t o, std::size_t i, std::size_t ky,
                         std::size_t kx) {
  const ConvolutionShape& shape = operands.shape();
  ExpectedSum sum;
  for (std::size_t n = 0; n < shape.batch; ++n) {
    for (std::size_t y = 0; y < shape.out_height; ++y) {
      for (std::size_t x = 0; x < shape.out_width; ++x) {
        const std::size_t row = y * shape.stride_height + ky - shape.pad_top;  // wraps above
        const std::size_t column = x * shape.stride_width + kx - shape.pad_left;
        if (row >= shape.in_height || column >= shape.in_width) continue;
        sum.add(static_cast<double>(operands.source(n, row, column, i)) *
                static_cast<double>(operands.result(n, y, x, o)));
      }
    }
  }
  return sum;
}

template <typename Gradient>
void expect_sums_of_bias(const ConvolutionShape& shape) {
  Bf16Operands<Gradient> operands(shape);
  operands.run(2);
  for (std::size_t o = 0; o < shape.out_channels; ++o) {
    ExpectedSum expected;
    for (std::size_t n = 0; n < shape.batch; ++n) {
      for (std::size_t y = 0; y < shape.out_height; ++y) {
        for (std::size_t x = 0; x < shape.out_width; ++x) expected.add(operands.result(n, y, x, o));
      }
    }
    ASSERT_NEAR(operands.bias()[o], expected.value(), expected.bound()) << shape << ' ' << o;
  }
}

template <typename Gradient>
void expect_same_for_any_threads(const ConvolutionShape& shape) {
  Bf16Operands<Gradient> operands(shape);
  operands.run(1);
  const std::vector<float> weights = operands.weights();
  const std::vector<float> bias = operands.bias();
  for (const std::size_t threads : {2, 3, 5}) {
    operands.run(threads);
    ASSERT_EQ(operands.weights(), weights) << threads;
    ASSERT_EQ(operands.bias(), bias) << threads;
  }
}

using Bf16BlockOperands = Bf16Operands<Bf16WeightsGradient>;
using Bf16RowOperands = Bf16Operands<Bf16RowGradient>;

}  // namespace convoy::cpu
