#include "tests/devices/cpu/norms/batch_norm_case.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <ostream>

namespace convoy::test {

void PrintTo(const BatchNormCase& what, std::ostream* out) {
  *out << what.images << "x" << what.channels << "x" << what.height << "x" << what.width << " in "
       << what.block << (what.relu ? " relu" : "") << (what.add ? " add" : "") << " limit "
       << what.limit << " centre " << what.centre;
}

namespace batch_norm_test {
namespace {

struct Computed {
  std::vector<float> write, mean, variance, read_gradient, gamma_gradient, beta_gradient;
  std::vector<float> passed;  // where a sum is part of the batch norm
  double padding = 0.0;
};

// A share of every value, and the rest of it.
std::vector<float> scaled(const std::vector<float>& values, float factor) {
  std::vector<float> result = values;
  for (float& value : result) value *= factor;
  return result;
}

// With a sum: the gradient comes in two parts, and that of the input is added to what is there.
void compute_joined_backward(const BatchNormCase& what, const BatchNormData& data,
                             const std::vector<float>& read, const std::vector<float>& output,
                             std::vector<double>& scratch, Computed& result) {
  std::vector<float> total = scaled(to_blocks(data.gradient, what), 0.25f);
  const std::vector<float> part = scaled(to_blocks(data.gradient, what), 0.75f);
  std::vector<float> write = to_blocks(data.addend, what);
  cpu::batch_norm_backward(
      what.shape(),
      {read.data(), total.data(), part.data(), what.relu ? output.data() : nullptr, write.data(),
       true, what.variables ? data.gamma.data() : nullptr,
       what.variables ? data.beta.data() : nullptr, result.mean.data(), result.variance.data(),
       result.gamma_gradient.data(), result.beta_gradient.data(), what.epsilon, what.relu,
       what.limit},
      scratch.data());
  result.passed = from_blocks(total.data(), what, result.padding);
  result.read_gradient = from_blocks(write.data(), what, result.padding);
  for (std::size_t i = 0; i < data.addend.size(); ++i) result.read_gradient[i] -= data.addend[i];
}

// The gradient is replaced in place.
void compute_backward(const BatchNormCase& what, const BatchNormData& data,
                      const std::vector<float>& read, std::vector<double>& scratch,
                      Computed& result) {
  const float* gamma = what.variables ? data.gamma.data() : nullptr;
  std::vector<float> gradient = to_blocks(data.gradient, what);
  cpu::batch_norm_backward(what.shape(),
                           {read.data(), gradient.data(), nullptr, nullptr, gradient.data(), false,
                            gamma, what.variables ? data.beta.data() : nullptr, result.mean.data(),
                            result.variance.data(), result.gamma_gradient.data(),
                            result.beta_gradient.data(), what.epsilon, what.relu, what.limit},
                           scratch.data());
  result.read_gradient = from_blocks(gradient.data(), what, result.padding);
}

Computed compute(const BatchNormCase& what, const BatchNormData& data, int threads) {
  omp_set_num_threads(threads);
  Computed result;
  const std::vector<float> read = to_blocks(data.read, what);
  const std::vector<float> addend = to_blocks(data.addend, what);
  std::vector<float> write(read.size(), 7.0f);
  result.gamma_gradient.resize(what.channels);
  result.beta_gradient.resize(what.channels);
  result.mean.resize(what.channels);
  result.variance.resize(what.channels);
  std::vector<double> scratch(cpu::batch_norm_scratch(what.shape()));
  cpu::batch_norm_forward(
      what.shape(),
      {read.data(), what.add ? addend.data() : nullptr, write.data(),
       what.variables ? data.gamma.data() : nullptr, what.variables ? data.beta.data() : nullptr,
       result.mean.data(), result.variance.data(), false, what.epsilon, what.relu, what.limit},
      scratch.data());
  result.write = from_blocks(write.data(), what, result.padding);
  if (what.add) {
    compute_joined_backward(what, data, read, write, scratch, result);
  } else {
    compute_backward(what, data, read, scratch, result);
  }
  return result;
}

// The largest distance, relative to the largest expected magnitude.
double error(const std::vector<float>& actual, const std::vector<double>& expected) {
  double worst = 0.0;
  double scale = 1e-30;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    worst = std::fmax(worst, std::fabs(static_cast<double>(actual[i]) - expected[i]));
    scale = std::fmax(scale, std::fabs(expected[i]));
  }
  return actual.size() == expected.size() ? worst / scale : 1.0;
}

std::vector<BatchNormCase> cases() {
  std::vector<BatchNormCase> all;
  for (const std::size_t block : {8, 16}) {
    all.push_back({.images = 4, .channels = 24, .height = 9, .width = 7, .block = block});
    all.push_back({.images = 1, .channels = 16, .height = 23, .width = 31, .block = block});
    all.push_back({.images = 6, .channels = 40, .height = 1, .width = 1, .block = block});
    all.push_back({.images = 3, .channels = 13, .height = 20, .width = 21, .block = block});
    all.push_back({.images = 2, .channels = 3, .height = 80, .width = 90, .block = block});
  }
  const std::size_t shapes = all.size();
  for (std::size_t i = 0; i < shapes; ++i) {
    BatchNormCase what = all[i];
    what.relu = true;
    all.push_back(what);
    what.add = true;
    all.push_back(what);
    what.limit = 1.5;
    all.push_back(what);
    what.relu = false;
    all.push_back(what);
    what.relu = true;
    what.add = false;
    what.variables = false;
    all.push_back(what);
  }
  return all;
}

class BatchNormKernel : public testing::TestWithParam<BatchNormCase> {};

// Largest seen: 1e-6. A gradient at the relu's edge cannot differ: no reference value lies within
// rounding of it, or the masks would differ by a whole gradient.
TEST_P(BatchNormKernel, AgreesWithDoublePrecision) {
  const BatchNormCase what = GetParam();
  const BatchNormData data(what);
  const Computed computed = compute(what, data, 2);
  EXPECT_LT(error(computed.mean, data.mean), 1e-6);
  EXPECT_LT(error(computed.variance, data.variance), 1e-6);
  EXPECT_LT(error(computed.write, data.write), 2e-6);
  EXPECT_EQ(computed.padding, 0.0);
  if (what.add) {
    EXPECT_LT(error(computed.passed, data.passed), 1e-6);
  }
  EXPECT_LT(error(computed.read_gradient, data.read_gradient), 4e-6);
  EXPECT_LT(error(computed.gamma_gradient, data.gamma_gradient), 4e-6);
  EXPECT_LT(error(computed.beta_gradient, data.beta_gradient), 4e-6);
}

TEST_P(BatchNormKernel, GivesTheSameBitsForEveryNumberOfThreads) {
  const BatchNormData data(GetParam());
  const Computed one = compute(GetParam(), data, 1);
  for (const int threads : {2, 3, 5}) {
    const Computed several = compute(GetParam(), data, threads);
    EXPECT_EQ(several.write, one.write) << threads;
    EXPECT_EQ(several.variance, one.variance) << threads;
    EXPECT_EQ(several.passed, one.passed) << threads;
    EXPECT_EQ(several.read_gradient, one.read_gradient) << threads;
    EXPECT_EQ(several.gamma_gradient, one.gamma_gradient) << threads;
    EXPECT_EQ(several.beta_gradient, one.beta_gradient) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(All, BatchNormKernel, testing::ValuesIn(cases()));

// A mean a thousand deviations away would leave nothing of a difference of squares in f32.
TEST(BatchNormStatistics, DoNotCancelFarFromZero) {
  const BatchNormCase what{
      .images = 4, .channels = 8, .height = 30, .width = 30, .block = 8, .centre = 1000.0};
  const BatchNormData data(what);
  const Computed computed = compute(what, data, 1);
  EXPECT_LT(error(computed.mean, data.mean), 1e-7);
  EXPECT_LT(error(computed.variance, data.variance), 1e-6);
}

TEST(BatchNormForward, TakesStatisticsThatAreGiven) {
  const BatchNormCase what{.images = 2, .channels = 8, .height = 3, .width = 3, .block = 8};
  const BatchNormData data(what);
  const std::vector<float> read = to_blocks(data.read, what);
  std::vector<float> mean(8, 0.5f), variance(8, 3.0f), write(read.size());
  std::vector<double> scratch(cpu::batch_norm_scratch(what.shape()));
  cpu::batch_norm_forward(what.shape(),
                          {read.data(), nullptr, write.data(), nullptr, nullptr, mean.data(),
                           variance.data(), true, 1.0, false, 0.0},
                          scratch.data());
  for (std::size_t i = 0; i < read.size(); ++i) {
    ASSERT_FLOAT_EQ(write[i], (read[i] - 0.5f) / 2.0f) << i;
  }
  EXPECT_EQ(mean[0], 0.5f);
}

TEST(BatchNormForward, LetsNotANumberThrough) {
  const BatchNormCase what{.images = 1, .channels = 8, .height = 2, .width = 2, .block = 8};
  std::vector<float> read(what.elements(), std::nanf(""));
  std::vector<float> mean(8), variance(8), write(read.size());
  std::vector<double> scratch(cpu::batch_norm_scratch(what.shape()));
  cpu::batch_norm_forward(what.shape(),
                          {read.data(), nullptr, write.data(), nullptr, nullptr, mean.data(),
                           variance.data(), false, 1e-3, true, 6.0},
                          scratch.data());
  for (float value : write) EXPECT_TRUE(std::isnan(value)) << value;
}

}  // namespace
}  // namespace batch_norm_test
}  // namespace convoy::test
