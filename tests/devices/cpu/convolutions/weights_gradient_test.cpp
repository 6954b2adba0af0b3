#include "plugins/devices/cpu/convolutions/weights_gradient.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

namespace convoy::cpu {
namespace {

// A convolution in plain terms; channels are those without padding.
struct Case {
  std::size_t batch, in, height, width, out, kernel_height, kernel_width, stride;
  std::size_t pad_top, pad_left, pad_bottom, pad_right;

  std::size_t out_height() const {
    return (height + pad_top + pad_bottom - kernel_height) / stride + 1;
  }
  std::size_t out_width() const {
    return (width + pad_left + pad_right - kernel_width) / stride + 1;
  }
};

std::ostream& operator<<(std::ostream& to, const Case& value) {
  return to << value.batch << 'x' << value.in << 'x' << value.height << 'x' << value.width << " -> "
            << value.out << ", " << value.kernel_height << 'x' << value.kernel_width << " stride "
            << value.stride << ", padding " << value.pad_top << ',' << value.pad_left << ','
            << value.pad_bottom << ',' << value.pad_right;
}

const Case kCases[] = {
    {1, 8, 5, 5, 8, 1, 1, 1, 0, 0, 0, 0},      {3, 20, 7, 7, 44, 1, 1, 1, 0, 0, 0, 0},
    {2, 16, 17, 16, 24, 1, 1, 1, 0, 0, 0, 0},  {2, 24, 9, 11, 40, 1, 1, 2, 0, 0, 0, 0},
    {5, 17, 14, 14, 33, 3, 3, 2, 1, 1, 1, 1},  {2, 16, 14, 15, 16, 3, 3, 2, 0, 1, 1, 0},
    {1, 30, 7, 7, 70, 3, 3, 1, 1, 1, 1, 1},    {2, 16, 9, 8, 16, 3, 3, 1, 0, 0, 0, 0},
    {2, 8, 17, 17, 24, 1, 7, 1, 0, 3, 0, 3},   {2, 8, 17, 17, 24, 7, 1, 1, 3, 0, 3, 0},
    {1, 9, 30, 31, 12, 5, 5, 1, 2, 2, 2, 2},   {2, 8, 2, 3, 8, 5, 5, 1, 2, 2, 2, 2},
    {1, 16, 23, 20, 8, 11, 11, 4, 2, 3, 1, 0}, {2, 8, 1, 6, 16, 1, 1, 3, 0, 0, 0, 0},
};

float value_at(std::uint64_t index) {
  const std::uint64_t mixed = (index + 1) * 0x9E3779B97F4A7C15u;
  return static_cast<float>(mixed >> 40) / static_cast<float>(1 << 23) - 1.0f;
}

// Operands in blocks of channels; padded channels hold zeros.
class Operands {
 public:
  Operands(const Case& what, std::size_t block)
      : what_(what), block_(block), in_(padded(what.in)), out_(padded(what.out)) {
    source_ = filled(what.in, in_, what.height, what.width);
    result_ = filled(what.out, out_, what.out_height(), what.out_width());
    weights_.assign(out_ * in_ * what.kernel_height * what.kernel_width, NAN);
    bias_.assign(what.out + 1, 123.0f);
  }

  void run(int threads) {
    omp_set_num_threads(threads);
    const PlaneWindows windows = {what_.height,      what_.width,         what_.out_height(),
                                  what_.out_width(), what_.kernel_height, what_.kernel_width,
                                  what_.stride,      what_.stride,        what_.pad_top,
                                  what_.pad_left};
    const WeightsGradient gradient({windows, what_.batch, in_, out_, block_});
    std::vector<float> scratch(gradient.scratch_floats(), NAN);
    gradient.run(
        {source_.data(), result_.data(), weights_.data(), bias_.data(), what_.out, scratch.data()});
  }

  float source(std::size_t n, std::size_t c, std::size_t y, std::size_t x) const {
    return source_[offset(n, c, y, x, in_, what_.height, what_.width)];
  }
  float result(std::size_t n, std::size_t c, std::size_t y, std::size_t x) const {
    return result_[offset(n, c, y, x, out_, what_.out_height(), what_.out_width())];
  }
  float weights(std::size_t o, std::size_t i, std::size_t y, std::size_t x) const {
    const std::size_t filter = (o / block_ * (in_ / block_) + i / block_) * what_.kernel_height + y;
    const std::size_t tap = filter * what_.kernel_width + x;
    return weights_[(tap * block_ + i % block_) * block_ + o % block_];
  }
  const std::vector<float>& all_weights() const { return weights_; }
  const std::vector<float>& bias() const { return bias_; }
  std::size_t padded_in() const { return in_; }
  std::size_t padded_out() const { return out_; }

 private:
  std::size_t padded(std::size_t channels) const {
    return (channels + block_ - 1) / block_ * block_;
  }
  std::size_t offset(std::size_t n, std::size_t c, std::size_t y, std::size_t x,
                     std::size_t channels, std::size_t height, std::size_t width) const {
    const std::size_t plane = (n * channels / block_ + c / block_) * height + y;
    return (plane * width + x) * block_ + c % block_;
  }
  std::vector<float> filled(std::size_t channels, std::size_t all, std::size_t height,
                            std::size_t width) const {
    std::vector<float> values(what_.batch * all * height * width);
    std::uint64_t index = 0;
    for (std::size_t n = 0; n < what_.batch; ++n) {
      for (std::size_t c = 0; c < channels; ++c) {
        for (std::size_t y = 0; y < height; ++y) {
          for (std::size_t x = 0; x < width; ++x) {
            values[offset(n, c, y, x, all, height, width)] = value_at(index++);
          }
        }
      }
    }
    return values;
  }

  Case what_;
  std::size_t block_, in_, out_;
  std::vector<float> source_, result_, weights_, bias_;
};

// The gradient of one weight in double precision, and the sum of the terms' magnitudes.
struct Expected {
  double value = 0.0, magnitude = 0.0;
};

Expected expected_weight(const Case& what, const Operands& operands, std::size_t o, std::size_t i,
                         std::size_t ky, std::size_t kx) {
  Expected sum;
  for (std::size_t n = 0; n < what.batch; ++n) {
    for (std::size_t y = 0; y < what.out_height(); ++y) {
      for (std::size_t x = 0; x < what.out_width(); ++x) {
        const std::size_t row = y * what.stride + ky - what.pad_top;  // wraps below the image
        const std::size_t column = x * what.stride + kx - what.pad_left;
        if (row >= what.height || column >= what.width) continue;
        const double term = static_cast<double>(operands.source(n, i, row, column)) *
                            static_cast<double>(operands.result(n, o, y, x));
        sum.value += term;
        sum.magnitude += std::abs(term);
      }
    }
  }
  return sum;
}

void expect_weights(const Case& what, const Operands& operands) {
  for (std::size_t o = 0; o<what.out; o += what.out> 16 ? 7 : 3) {
    for (std::size_t i = 0; i<what.in; i += what.in> 16 ? 5 : 3) {
      for (std::size_t y = 0; y < what.kernel_height; ++y) {
        for (std::size_t x = 0; x < what.kernel_width; ++x) {
          const Expected expected = expected_weight(what, operands, o, i, y, x);
          ASSERT_NEAR(operands.weights(o, i, y, x), expected.value,
                      1e-6 * expected.magnitude + 1e-7)
              << what << " at " << o << ',' << i << ',' << y << ',' << x;
        }
      }
    }
  }
}

class WeightsGradientOfBlocks : public testing::TestWithParam<std::size_t> {};

TEST_P(WeightsGradientOfBlocks, AreThoseOfADirectSumInDoublePrecision) {
  for (const Case& what : kCases) {
    Operands operands(what, GetParam());
    operands.run(2);
    expect_weights(what, operands);
  }
}

TEST_P(WeightsGradientOfBlocks, LeavePaddedWeightsZero) {
  const Case& what = kCases[4];
  Operands operands(what, GetParam());
  operands.run(2);
  ASSERT_LT(what.in, operands.padded_in());
  for (std::size_t o = 0; o < operands.padded_out(); ++o) {
    for (std::size_t i = o < what.out ? what.in : 0; i < operands.padded_in(); ++i) {
      ASSERT_EQ(operands.weights(o, i, 1, 1), 0.0f) << o << ',' << i;
    }
  }
}

TEST_P(WeightsGradientOfBlocks, SumTheBiasAndNothingBehindIt) {
  for (const Case& what : kCases) {
    Operands operands(what, GetParam());
    operands.run(2);
    for (std::size_t o = 0; o < what.out; ++o) {
      double sum = 0.0;
      for (std::size_t n = 0; n < what.batch; ++n) {
        for (std::size_t y = 0; y < what.out_height(); ++y) {
          for (std::size_t x = 0; x < what.out_width(); ++x) sum += operands.result(n, o, y, x);
        }
      }
      ASSERT_NEAR(operands.bias()[o], sum, 1e-4) << what << " at " << o;
    }
    ASSERT_EQ(operands.bias()[what.out], 123.0f) << what;
  }
}

TEST_P(WeightsGradientOfBlocks, AreTheSameForAnyNumberOfThreads) {
  for (const Case& what : kCases) {
    Operands operands(what, GetParam());
    operands.run(1);
    const std::vector<float> weights = operands.all_weights();
    const std::vector<float> bias = operands.bias();
    for (const int threads : {2, 3, 5}) {
      operands.run(threads);
      ASSERT_EQ(operands.all_weights(), weights) << what << " with " << threads << " threads";
      ASSERT_EQ(operands.bias(), bias) << what << " with " << threads << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, WeightsGradientOfBlocks, testing::Values(8, 16));

}  // namespace
}  // namespace convoy::cpu
