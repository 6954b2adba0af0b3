#include "plugins/devices/cpu/norms/channels_last_norm.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include "tests/devices/cpu/norms/channels_last_norm_case.hpp"

namespace convoy::test {

namespace {

using Halves = std::vector<cpu::Bf16>;

double number(cpu::Bf16 value) {
  return value_of(value);
}
double number(float value) {
  return static_cast<double>(value);
}

template <typename Element>
testing::AssertionResult within(const std::vector<Element>& actual, const Bounded& wanted) {
  if (actual.size() != wanted.value.size()) return testing::AssertionFailure() << actual.size();
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double distance = std::fabs(number(actual[i]) - wanted.value[i]);
    if (distance <= wanted.bound[i]) continue;  // never of not-a-number
    return testing::AssertionFailure() << "element " << i << " is " << number(actual[i]) << ", not "
                                       << wanted.value[i] << " +- " << wanted.bound[i];
  }
  return testing::AssertionSuccess();
}

struct RunForward {
  Halves write;
  std::vector<float> mean, variance;
};

RunForward run_forward(const ChannelsLastCase& what, const ChannelsLastData& data, int threads) {
  omp_set_num_threads(threads);
  const cpu::ChannelsLastNorm norm({what.cells, what.channels});
  std::vector<char> scratch(norm.scratch_bytes(), 0x7f);
  RunForward run{Halves(what.elements(), 0x40e0), data.mean, data.variance};
  if (!what.given) {
    run.mean.assign(what.channels, 7.0f);
    run.variance.assign(what.channels, 7.0f);
  }
  norm.forward(
      {data.read.data(), what.add ? data.addend.data() : nullptr, run.write.data(),
       what.variables ? data.gamma.data() : nullptr, what.variables ? data.beta.data() : nullptr,
       run.mean.data(), run.variance.data(), what.given, what.epsilon, what.relu, what.limit},
      scratch.data());
  return run;
}

enum class Place { kOwn, kGradient, kRead };  // of what the backward pass writes

struct RunBackward {
  Halves joined, write;
  std::vector<float> gamma_gradient, beta_gradient;
};

RunBackward run_backward(const ChannelsLastCase& what, const ChannelsLastData& data, int threads,
                         Place place = Place::kOwn) {
  omp_set_num_threads(threads);
  const cpu::ChannelsLastNorm norm({what.cells, what.channels});
  std::vector<char> scratch(norm.scratch_bytes(), 0x7f);
  RunBackward run{data.gradient, what.accumulate ? data.before : Halves(what.elements(), 0x40e0),
                  std::vector<float>(what.channels, 7.0f), std::vector<float>(what.channels, 7.0f)};
  Halves read = data.read;
  Halves& write = place == Place::kOwn ? run.write : place == Place::kRead ? read : run.joined;
  norm.backward(
      {read.data(), run.joined.data(), what.add ? data.addend.data() : nullptr,
       what.output ? data.output.data() : nullptr, write.data(), what.accumulate,
       what.variables ? data.gamma.data() : nullptr, what.variables ? data.beta.data() : nullptr,
       data.mean.data(), data.variance.data(), what.variables ? run.gamma_gradient.data() : nullptr,
       what.variables ? run.beta_gradient.data() : nullptr, what.epsilon, what.relu, what.limit},
      scratch.data());
  if (place != Place::kOwn) run.write = write;
  return run;
}

// All shapes, the large ones (several stretches; more channels than are summed together; few
// channels whose cells fill the lanes of a vector together) with few ways.
std::vector<ChannelsLastCase> shapes() {
  std::vector<ChannelsLastCase> all;
  for (const std::size_t channels : {1, 3, 8, 16, 17, 40, 64}) {
    for (const std::size_t cells : {1, 2, 7, 300}) all.push_back({cells, channels});
  }
  for (const std::size_t cells : {1, 7, 300}) all.push_back({cells, 1030});
  for (const std::size_t channels : {1, 3, 8, 17}) all.push_back({5000, channels});
  for (const std::size_t channels : {3, 17, 24, 40}) all.push_back({960, channels});
  return all;
}

bool small(const ChannelsLastCase& what) {
  return what.elements() <= 3000;
}

std::vector<ChannelsLastCase> forward_cases() {
  std::vector<ChannelsLastCase> all;
  for (ChannelsLastCase what : shapes()) {
    const bool every = small(what);
    if (every) all.push_back(what);
    what.relu = true;
    if (every) all.push_back(what);
    what.add = true;
    what.limit = 1.5;
    all.push_back(what);
    what.given = true;
    if (every) all.push_back(what);
    what.variables = what.relu = false;
    if (every) all.push_back(what);
  }
  return all;
}

std::vector<ChannelsLastCase> backward_cases() {
  std::vector<ChannelsLastCase> all;
  for (ChannelsLastCase what : shapes()) {
    const bool every = small(what);
    if (every) all.push_back(what);
    what.relu = true;
    if (every) all.push_back(what);
    what.limit = 1.5;
    if (every) all.push_back(what);
    what.add = what.accumulate = true;
    all.push_back(what);
    what.output = true;
    if (every) all.push_back(what);
    what.variables = what.add = false;
    if (every) all.push_back(what);
  }
  return all;
}

void expect_exact_forward(const ChannelsLastCase& what) {
  SCOPED_TRACE(testing::PrintToString(what));
  const ChannelsLastData data(what);
  const RunForward run = run_forward(what, data, 2);
  const ExpectedForward expected = expected_forward(what, data);
  EXPECT_TRUE(within(run.mean, expected.mean));
  EXPECT_TRUE(within(run.variance, expected.variance));
  EXPECT_TRUE(within(run.write, expected.write));
}

TEST(ChannelsLastNorm, ForwardAgreesWithDoublePrecision) {
  for (const ChannelsLastCase& what : forward_cases()) expect_exact_forward(what);
}

TEST(ChannelsLastNorm, BackwardAgreesWithDoublePrecision) {
  for (const ChannelsLastCase& what : backward_cases()) {
    SCOPED_TRACE(testing::PrintToString(what));
    const ChannelsLastData data(what);
    const RunBackward run = run_backward(what, data, 2);
    const ExpectedBackward expected = expected_backward(what, data);
    EXPECT_EQ(run.joined, expected.joined);
    EXPECT_TRUE(within(run.write, expected.write));
    if (!what.variables) continue;
    EXPECT_TRUE(within(run.gamma_gradient, expected.gamma_gradient));
    EXPECT_TRUE(within(run.beta_gradient, expected.beta_gradient));
  }
}

TEST(ChannelsLastNorm, GivesTheSameBitsForEveryNumberOfThreads) {
  const ChannelsLastCase what{.cells = 2000, .channels = 33, .add = true, .relu = true};
  const ChannelsLastData data(what);
  const RunForward forward = run_forward(what, data, 1);
  const RunBackward backward = run_backward(what, data, 1);
  for (const int threads : {2, 3}) {
    const RunForward again = run_forward(what, data, threads);
    EXPECT_EQ(again.mean, forward.mean) << threads;
    EXPECT_EQ(again.variance, forward.variance) << threads;
    EXPECT_EQ(again.write, forward.write) << threads;
    const RunBackward back = run_backward(what, data, threads);
    EXPECT_EQ(back.joined, backward.joined) << threads;
    EXPECT_EQ(back.write, backward.write) << threads;
    EXPECT_EQ(back.gamma_gradient, backward.gamma_gradient) << threads;
    EXPECT_EQ(back.beta_gradient, backward.beta_gradient) << threads;
  }
}

// Values about 1000 are multiples of four or eight.
TEST(ChannelsLastStatistics, DoNotCancelFarFromZero) {
  for (const double deviation : {1.0, 8.0}) {
    expect_exact_forward({.cells = 3000, .channels = 8, .centre = 1000.0, .deviation = deviation});
  }
}

// A bf16 number times at most 32 is an f32 number, so the mean of equals is that number.
TEST(ChannelsLastStatistics, OfConstantChannelsAreExact) {
  for (const std::size_t cells : {1, 7, 300, 5000}) {
    const ChannelsLastCase what{.cells = cells, .channels = 5};
    ChannelsLastData data(what);
    const Halves constants = random_bf16(what.channels, 900.0, 300.0, 9);
    for (std::size_t i = 0; i < what.elements(); ++i) data.read[i] = constants[i % what.channels];
    const RunForward run = run_forward(what, data, 2);
    for (std::size_t i = 0; i < what.elements(); ++i) {
      const std::size_t c = i % what.channels;
      ASSERT_EQ(run.write[i], nearest_bf16(number(data.beta[c]))) << i;
      ASSERT_EQ(number(run.mean[c]), number(constants[c])) << cells;
      ASSERT_EQ(run.variance[c], 0.0f) << cells;
    }
  }
}

// A diverged run must show, through the bounds too, and only in its channel.
TEST(ChannelsLastNorm, LetsNotANumberThrough) {
  for (const cpu::Bf16 bad : Halves{0x7fc0, 0xffc1, 0x7f81}) {
    for (const std::size_t cell : {0, 1, 299}) {
      const ChannelsLastCase what{.cells = 300, .channels = 18, .relu = true, .limit = 6.0};
      ChannelsLastData data(what);
      data.read[cell * what.channels + 17] = bad;
      const RunForward run = run_forward(what, data, 1);
      for (std::size_t i = 0; i < what.elements(); ++i) {
        ASSERT_EQ(std::isnan(number(run.write[i])), i % what.channels == 17) << i;
      }
      EXPECT_TRUE(std::isnan(run.variance[17]));
    }
  }
}

TEST(ChannelsLastNorm, BackwardLetsNotANumberThrough) {
  const ChannelsLastCase what{.cells = 40, .channels = 3, .add = true, .relu = true, .limit = 6.0};
  ChannelsLastData data(what);
  data.gradient[4] = 0x7fc0;
  data.read[4] = nearest_bf16(number(data.mean[1]));  // beta: not cut off
  data.beta[1] = 1.0f;
  const RunBackward run = run_backward(what, data, 1);
  EXPECT_TRUE(std::isnan(run.beta_gradient[1]));
  EXPECT_FALSE(std::isnan(run.beta_gradient[2]));
  for (std::size_t i = 0; i < what.elements(); ++i) {
    ASSERT_EQ(std::isnan(number(run.write[i])), i % what.channels == 1) << i;
  }
}

TEST(ChannelsLastForward, MayReplaceEitherInput) {
  for (const std::size_t channels : {5, 16, 21}) {
    const ChannelsLastCase what{.cells = 90, .channels = channels, .add = true, .given = true};
    const ChannelsLastData data(what);
    const Halves wanted = run_forward(what, data, 1).write;
    const cpu::ChannelsLastNorm norm({what.cells, what.channels});
    std::vector<char> scratch(norm.scratch_bytes());
    for (const bool reads : {true, false}) {
      ChannelsLastData own(what);
      norm.forward({own.read.data(), own.addend.data(), (reads ? own.read : own.addend).data(),
                    own.gamma.data(), own.beta.data(), own.mean.data(), own.variance.data(), true,
                    what.epsilon, what.relu, what.limit},
                   scratch.data());
      EXPECT_EQ(reads ? own.read : own.addend, wanted);
    }
  }
}

TEST(ChannelsLastBackward, MayReplaceTheGradientOrWhatWasRead) {
  for (const std::size_t channels : {5, 16, 21}) {
    ChannelsLastCase what{.cells = 90, .channels = channels, .relu = true};
    for (const bool add : {false, true}) {
      what.add = what.output = add;
      const ChannelsLastData data(what);
      const RunBackward own = run_backward(what, data, 2);
      EXPECT_EQ(run_backward(what, data, 2, Place::kGradient).write, own.write);
      const RunBackward replaced = run_backward(what, data, 2, Place::kRead);
      EXPECT_EQ(replaced.write, own.write);
      EXPECT_EQ(replaced.joined, own.joined);
    }
  }
}

// Of statistics 0 and 1 the norm passes numbers as they are: those at the edges are cut off.
TEST(ChannelsLastBackward, CutsOffBothEdgesOfTheRelu) {
  const std::vector<double> values{-1.0, 0.0, 0x1p-120, 1.0, 1.4921875, 1.5, 1.5078125};
  for (const std::size_t count : {1, 17}) {
    ChannelsLastCase what{.cells = values.size(), .channels = count, .relu = true, .limit = 1.5};
    what.epsilon = 0.0;
    ChannelsLastData data(what);
    data.gamma.assign(count, 1.0f);
    data.beta.assign(count, 0.0f);
    data.mean.assign(count, 0.0f);
    data.variance.assign(count, 1.0f);
    for (std::size_t i = 0; i < what.elements(); ++i) {
      data.read[i] = nearest_bf16(values[i / count]);
      data.gradient[i] = nearest_bf16(1.0);
    }
    EXPECT_EQ(run_backward(what, data, 1).beta_gradient, std::vector<float>(count, 3.0f));
    what.limit = 0.0;
    EXPECT_EQ(run_backward(what, data, 1).beta_gradient, std::vector<float>(count, 5.0f));
  }
}

// In f32 every further addition to the first number would be lost.
TEST(ChannelsLastBackward, TakesSumsInF32OverFewCellsOnly) {
  const ChannelsLastCase what{.cells = 5000, .channels = 2};
  ChannelsLastData data(what);
  std::fill(data.gradient.begin(), data.gradient.end(), nearest_bf16(0.5));
  data.gradient[0] = data.gradient[1] = nearest_bf16(0x1p24);
  EXPECT_TRUE(within(run_backward(what, data, 1).beta_gradient,
                     expected_backward(what, data).beta_gradient));
}

}  // namespace
}  // namespace convoy::test
