#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>
#include <vector>

#include "plugins/devices/cpu/convolutions/depthwise.hpp"

namespace convoy::test::depthwise_test {
namespace {

struct DepthwiseCase {
  std::size_t block, images, channels;
  cpu::PlaneWindows windows;

  std::size_t blocks() const { return (channels + block - 1) / block; }
  std::size_t taps() const { return windows.kernel_height * windows.kernel_width; }
  std::size_t in_elements() const {
    return images * blocks() * windows.in_height * windows.in_width * block;
  }
  std::size_t out_elements() const {
    return images * blocks() * windows.out_height * windows.out_width * block;
  }
  // Whether an element of a blocked activation or filter is a channel and not padding.
  bool real(std::size_t element, std::size_t cells) const {
    return element / (cells * block) % blocks() * block + element % block < channels;
  }
};

void PrintTo(const DepthwiseCase& what, std::ostream* out) {
  const cpu::PlaneWindows& w = what.windows;
  *out << what.images << "x" << what.channels << "x" << w.in_height << "x" << w.in_width << " to "
       << w.out_height << "x" << w.out_width << ", filter " << w.kernel_height << "x"
       << w.kernel_width << ", stride " << w.stride_height << w.stride_width << ", padding "
       << w.pad_top << w.pad_left << ", block " << what.block;
}

struct DepthwiseData {
  explicit DepthwiseData(const DepthwiseCase& what)
      : read(values(what, what.in_elements(), what.windows.in_height * what.windows.in_width, 1)),
        gradient(
            values(what, what.out_elements(), what.windows.out_height * what.windows.out_width, 2)),
        weights(values(what, what.blocks() * what.taps() * what.block, what.taps(), 3)),
        before(values(what, what.in_elements(), what.windows.in_height * what.windows.in_width, 4)),
        bias(what.channels) {
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = std::sin(static_cast<float>(i) + 1.0f);
  }

  // Padding of channels holds zeros.
  static std::vector<float> values(const DepthwiseCase& what, std::size_t count, std::size_t cells,
                                   std::uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = what.real(i, cells) ? normal(random) : 0.0f;
    return result;
  }

  std::vector<float> read, gradient, weights, before, bias;
};

struct DepthwiseResults {
  std::vector<float> result, bounded, read_gradient, added_gradient, weights_gradient,
      bias_gradient;
};

constexpr double kLimit = 1.5;

DepthwiseResults compute(const DepthwiseCase& what, DepthwiseData data, int threads) {
  omp_set_num_threads(threads);
  const cpu::DepthwiseConvolution convolution(what.windows, what.images, what.channels, what.block);
  DepthwiseResults results;
  results.result.assign(what.out_elements(), 7.0f);
  results.bounded = results.result;
  results.read_gradient.assign(what.in_elements(), 7.0f);
  results.added_gradient = data.before;
  results.weights_gradient.assign(data.weights.size(), 7.0f);
  results.bias_gradient.assign(what.channels, 7.0f);
  std::vector<float> scratch(convolution.scratch_floats());
  const auto planes = [&](std::vector<float>& values) {
    return cpu::Planes(values.data(), values.size() / (what.images * what.blocks()));
  };
  convolution.forward(planes(data.read), data.weights.data(),
                      {nullptr, false, 0.0, planes(results.result)});
  convolution.forward(planes(data.read), data.weights.data(),
                      {data.bias.data(), true, kLimit, planes(results.bounded)});
  convolution.backward_data(planes(data.gradient), data.weights.data(),
                            planes(results.read_gradient), false);
  convolution.backward_data(planes(data.gradient), data.weights.data(),
                            planes(results.added_gradient), true);
  convolution.backward_weights(planes(data.read), planes(data.gradient),
                               results.weights_gradient.data(), results.bias_gradient.data(),
                               scratch.data());
  return results;
}

struct Expected {
  std::vector<double> result, bounded, read_gradient, added_gradient, weights_gradient,
      bias_gradient;
};

Expected expected(const DepthwiseCase& what, const DepthwiseData& data) {
  const cpu::PlaneWindows& w = what.windows;
  const std::size_t cells = w.out_height * w.out_width;
  Expected e{std::vector<double>(what.out_elements()), {},
             std::vector<double>(what.in_elements()),  {},
             std::vector<double>(data.weights.size()), std::vector<double>(what.channels)};
  for (std::size_t to = 0; to < what.out_elements(); ++to) {
    const std::size_t lane = to % what.block, cell = to / what.block % cells;
    const std::size_t plane = to / what.block / cells, block = plane % what.blocks();
    for (std::size_t tap = 0; tap < what.taps(); ++tap) {
      const std::size_t row =
          cell / w.out_width * w.stride_height + tap / w.kernel_width - w.pad_top;
      const std::size_t column =
          cell % w.out_width * w.stride_width + tap % w.kernel_width - w.pad_left;
      if (row >= w.in_height || column >= w.in_width) continue;
      const std::size_t from =
          ((plane * w.in_height + row) * w.in_width + column) * what.block + lane;
      const std::size_t weight = (block * what.taps() + tap) * what.block + lane;
      e.result[to] += double{data.read[from]} * double{data.weights[weight]};
      e.read_gradient[from] += double{data.gradient[to]} * double{data.weights[weight]};
      e.weights_gradient[weight] += double{data.gradient[to]} * double{data.read[from]};
    }
    const std::size_t channel = block * what.block + lane;
    if (channel < what.channels) e.bias_gradient[channel] += double{data.gradient[to]};
    const double bias = channel < what.channels ? double{data.bias[channel]} : 0.0;
    e.bounded.push_back(std::clamp(e.result[to] + bias, 0.0, kLimit));
  }
  e.added_gradient = e.read_gradient;
  for (std::size_t i = 0; i < data.before.size(); ++i)
    e.added_gradient[i] += double{data.before[i]};
  return e;
}

// Relative to the largest value: tens of roundings of f32, where a wrong tap gives 1e-2 and more.
void expect_near(const std::vector<float>& values, const std::vector<double>& wanted,
                 const char* what) {
  ASSERT_EQ(values.size(), wanted.size()) << what;
  double largest = 0.0;
  for (const double value : wanted) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], wanted[i], 2e-6 * largest) << what << ", element " << i;
  }
}

class DepthwiseKernel : public testing::TestWithParam<DepthwiseCase> {};

TEST_P(DepthwiseKernel, AllPassesMatchFloat64) {
  const DepthwiseCase& what = GetParam();
  const DepthwiseData data(what);
  const DepthwiseResults computed = compute(what, data, 2);
  const Expected wanted = expected(what, data);
  expect_near(computed.result, wanted.result, "forward");
  expect_near(computed.bounded, wanted.bounded, "forward with bias and relu");
  expect_near(computed.read_gradient, wanted.read_gradient, "backward data");
  expect_near(computed.added_gradient, wanted.added_gradient, "backward data, added");
  expect_near(computed.weights_gradient, wanted.weights_gradient, "backward weights");
  expect_near(computed.bias_gradient, wanted.bias_gradient, "bias");
}

TEST_P(DepthwiseKernel, GivesTheSameBitsForEveryNumberOfThreads) {
  const DepthwiseCase& what = GetParam();
  const DepthwiseData data(what);
  const DepthwiseResults one = compute(what, data, 1);
  for (const int threads : {2, 3, 5}) {
    const DepthwiseResults several = compute(what, data, threads);
    EXPECT_EQ(several.bounded, one.bounded) << threads;
    EXPECT_EQ(several.read_gradient, one.read_gradient) << threads;
    EXPECT_EQ(several.weights_gradient, one.weights_gradient) << threads;
    EXPECT_EQ(several.bias_gradient, one.bias_gradient) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, DepthwiseKernel,
    testing::Values(DepthwiseCase{8, 2, 16, {12, 14, 12, 14, 3, 3, 1, 1, 1, 1}},
                    DepthwiseCase{8, 3, 13, {7, 7, 7, 7, 3, 3, 1, 1, 1, 1}},
                    DepthwiseCase{16, 2, 24, {9, 11, 9, 11, 3, 3, 1, 1, 1, 1}},
                    DepthwiseCase{8, 2, 16, {20, 18, 10, 9, 3, 3, 2, 2, 0, 0}},
                    DepthwiseCase{8, 2, 9, {21, 19, 11, 10, 3, 3, 2, 2, 1, 1}},
                    DepthwiseCase{8, 1, 8, {10, 10, 6, 6, 5, 5, 1, 1, 0, 0}},
                    DepthwiseCase{16, 1, 16, {11, 8, 6, 3, 5, 4, 2, 3, 2, 1}},
                    DepthwiseCase{8, 2, 8, {2, 3, 2, 3, 7, 7, 1, 1, 3, 3}},
                    DepthwiseCase{8, 1, 8, {9, 9, 3, 3, 2, 2, 3, 3, 0, 0}},
                    DepthwiseCase{8, 1, 8, {17, 5, 3, 1, 1, 1, 8, 8, 0, 0}}));

}  // namespace
}  // namespace convoy::test::depthwise_test
