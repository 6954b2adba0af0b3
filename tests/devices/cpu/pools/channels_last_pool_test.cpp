#include "plugins/devices/cpu/pools/channels_last_pool.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <ostream>

#include "tests/devices/cpu/bf16_values.hpp"

namespace convoy::test {
namespace {

struct HalvesPoolCase {
  std::size_t channels;
  cpu::PlaneWindows shape;

  static constexpr std::size_t kImages = 2;
  std::size_t in_cells() const { return shape.in_height * shape.in_width; }
  std::size_t out_cells() const { return shape.out_height * shape.out_width; }
};

void PrintTo(const HalvesPoolCase& what, std::ostream* out) {
  const cpu::PlaneWindows& s = what.shape;
  *out << s.in_height << "x" << s.in_width << "x" << what.channels << " to " << s.out_height << "x"
       << s.out_width << ", window " << s.kernel_height << "x" << s.kernel_width;
}

// Calls use(element of the result, element of the source) for every pair, cell by cell in order.
template <typename Use>
void each_halves_pair(const HalvesPoolCase& what, const Use& use) {
  const cpu::PlaneWindows& s = what.shape;
  for (std::size_t to = 0; to < HalvesPoolCase::kImages * what.out_cells() * what.channels; ++to) {
    const std::size_t window = to / what.channels;
    const std::size_t image = window / what.out_cells();
    const std::size_t top = window / s.out_width % s.out_height * s.stride_height;
    const std::size_t left = window % s.out_width * s.stride_width;
    for (std::size_t i = 0; i < s.kernel_height * s.kernel_width; ++i) {
      const std::size_t row = top + i / s.kernel_width - s.pad_top;
      const std::size_t column = left + i % s.kernel_width - s.pad_left;
      if (row >= s.in_height || column >= s.in_width) continue;
      use(to,
          ((image * s.in_height + row) * s.in_width + column) * what.channels + to % what.channels);
    }
  }
}

// Few different numbers, so that many windows have equal largest cells; sums of them are exact.
std::vector<cpu::Bf16> few_numbers(const HalvesPoolCase& what, std::size_t cells,
                                   std::uint32_t seed) {
  CheapRandom random(seed);
  std::vector<cpu::Bf16> values(HalvesPoolCase::kImages * cells * what.channels);
  for (cpu::Bf16& value : values)
    value = nearest_bf16(static_cast<double>(random.bits() % 7) - 3.0);
  return values;
}

struct PooledHalves {
  std::vector<cpu::Bf16> maximum, maximum_gradient, average, average_gradient;
};

struct PoolInputs {
  explicit PoolInputs(const HalvesPoolCase& what)
      : read(few_numbers(what, what.in_cells(), 1)),
        gradient(few_numbers(what, what.out_cells(), 2)),
        before(few_numbers(what, what.in_cells(), 3)) {}

  std::vector<cpu::Bf16> read, gradient, before;
};

constexpr std::size_t kBehind = 16;  // elements behind the last ones, to be left alone
constexpr cpu::Bf16 kOld = 0x4321;

// What a pool writes to the start of `values`.
template <typename Write>
std::vector<cpu::Bf16> written(std::vector<cpu::Bf16> values, const Write& write) {
  const std::size_t count = values.size();
  values.resize(count + kBehind, kOld);
  write(values.data());
  for (std::size_t i = count; i < values.size(); ++i) EXPECT_EQ(values[i], kOld) << i - count;
  values.resize(count);
  return values;
}

PooledHalves pool_halves(const HalvesPoolCase& what, const PoolInputs& in, bool add, int threads) {
  omp_set_num_threads(threads);
  const cpu::ChannelsLastPool pool(what.shape, HalvesPoolCase::kImages, what.channels);
  std::vector<std::uint8_t> record(pool.record_bytes());
  const std::vector<cpu::Bf16> result(in.gradient.size(), kOld);
  const std::vector<cpu::Bf16> source =
      add ? in.before : std::vector<cpu::Bf16>(in.before.size(), kOld);
  PooledHalves pooled;
  pooled.maximum =
      written(result, [&](cpu::Bf16* to) { pool.max_forward(in.read.data(), to, record.data()); });
  EXPECT_EQ(written(result, [&](cpu::Bf16* to) { pool.max_forward(in.read.data(), to, nullptr); }),
            pooled.maximum);
  pooled.maximum_gradient = written(source, [&](cpu::Bf16* to) {
    pool.max_backward(in.gradient.data(), record.data(), to, add);
  });
  pooled.average =
      written(result, [&](cpu::Bf16* to) { pool.average_forward(in.read.data(), to); });
  pooled.average_gradient =
      written(source, [&](cpu::Bf16* to) { pool.average_backward(in.gradient.data(), to, add); });
  return pooled;
}

// Of maxima: exact. Of averages: in double; `terms` are the magnitudes that were added.
struct ExactPool {
  std::vector<cpu::Bf16> maximum, maximum_gradient;
  std::vector<double> average, average_gradient, terms;
};

ExactPool exact_pool(const HalvesPoolCase& what, const PoolInputs& inputs, bool add) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> largest(inputs.gradient.size(), kNone);
  std::vector<double> count(largest.size()), source(inputs.read.size());
  ExactPool exact;
  exact.average.resize(largest.size());
  each_halves_pair(what, [&](std::size_t to, std::size_t from) {
    const double value = value_of(inputs.read[from]);
    if (largest[to] == kNone || value > value_of(inputs.read[largest[to]])) largest[to] = from;
    count[to] += 1.0;
    exact.average[to] += value;
  });
  for (std::size_t i = 0; add && i < source.size(); ++i) source[i] = value_of(inputs.before[i]);
  exact.average_gradient = exact.terms = source;
  for (double& term : exact.terms) term = std::fabs(term);
  for (std::size_t to = 0; to < largest.size(); ++to) {
    exact.average[to] /= count[to];
    exact.maximum.push_back(inputs.read[largest[to]]);
    source[largest[to]] += value_of(inputs.gradient[to]);
  }
  for (const double value : source) exact.maximum_gradient.push_back(nearest_bf16(value));
  each_halves_pair(what, [&](std::size_t to, std::size_t from) {
    const double share = value_of(inputs.gradient[to]) / count[to];
    exact.average_gradient[from] += share;
    exact.terms[from] += std::fabs(share);
  });
  return exact;
}

// Rounded to bf16 from an f32 number that is this near.
void expect_rounded(cpu::Bf16 actual, double exact, double f32_error) {
  const double bound = f32_error + half_bf16_ulp(std::fabs(exact) + f32_error);
  ASSERT_LE(std::fabs(value_of(actual) - exact), bound) << exact;
}

class HalvesPool : public testing::TestWithParam<HalvesPoolCase> {};

// Sums of these numbers are exact. A mean is the sum times a share, both rounded to f32; a gradient
// of a mean adds at most nine such products, one after the other, to what is there.
TEST_P(HalvesPool, GivesTheExactMaximaAndTheRoundedMeans) {
  constexpr double kF32Unit = 0x1p-24;
  const HalvesPoolCase& what = GetParam();
  const PoolInputs inputs(what);
  for (const bool add : {false, true}) {
    const PooledHalves pooled = pool_halves(what, inputs, add, 2);
    const ExactPool exact = exact_pool(what, inputs, add);
    EXPECT_EQ(pooled.maximum, exact.maximum);
    EXPECT_EQ(pooled.maximum_gradient, exact.maximum_gradient);
    for (std::size_t i = 0; i < exact.average.size(); ++i) {
      expect_rounded(pooled.average[i], exact.average[i],
                     2.01 * kF32Unit * std::fabs(exact.average[i]));
    }
    for (std::size_t i = 0; i < exact.terms.size(); ++i) {
      expect_rounded(pooled.average_gradient[i], exact.average_gradient[i],
                     11.01 * kF32Unit * exact.terms[i]);
    }
  }
}

TEST_P(HalvesPool, GivesTheSameBitsForEveryNumberOfThreads) {
  const PoolInputs inputs(GetParam());
  const PooledHalves one = pool_halves(GetParam(), inputs, false, 1);
  for (const int threads : {2, 3}) {
    const PooledHalves several = pool_halves(GetParam(), inputs, false, threads);
    EXPECT_EQ(several.maximum, one.maximum) << threads;
    EXPECT_EQ(several.maximum_gradient, one.maximum_gradient) << threads;
    EXPECT_EQ(several.average, one.average) << threads;
    EXPECT_EQ(several.average_gradient, one.average_gradient) << threads;
  }
}

// Windows that overlap, with padding, further apart than they are large, larger than a byte's half,
// of whole images; rows of several bands; rows that no window reaches.
INSTANTIATE_TEST_SUITE_P(Shapes, HalvesPool,
                         testing::Values(HalvesPoolCase{1, {7, 5, 7, 5, 3, 3, 1, 1, 1, 1}},
                                         HalvesPoolCase{15, {9, 7, 4, 3, 3, 3, 2, 2, 0, 0}},
                                         HalvesPoolCase{16, {10, 7, 5, 3, 5, 4, 2, 3, 2, 1}},
                                         HalvesPoolCase{17, {5, 5, 2, 2, 2, 2, 2, 2, 0, 0}},
                                         HalvesPoolCase{3, {20, 18, 10, 9, 3, 3, 2, 2, 1, 1}},
                                         HalvesPoolCase{5, {9, 9, 2, 2, 2, 2, 3, 3, 0, 0}},
                                         HalvesPoolCase{2, {16, 16, 1, 1, 16, 16, 1, 1, 0, 0}},
                                         HalvesPoolCase{33, {6, 4, 3, 2, 3, 3, 2, 2, 1, 1}}));

TEST(HalvesPoolMaximum, LetsNotANumberPass) {
  const HalvesPoolCase what{17, {3, 3, 1, 1, 3, 3, 1, 1, 0, 0}};
  PoolInputs inputs(what);
  inputs.read[4 * what.channels + 16] = 0x7fc0;
  inputs.read[2 * what.channels + 3] = 0xffc0;
  const PooledHalves pooled = pool_halves(what, inputs, false, 1);
  for (std::size_t channel = 0; channel < what.channels; ++channel) {
    EXPECT_EQ(std::isnan(value_of(pooled.maximum[channel])), channel == 16 || channel == 3)
        << channel;
  }
}

// The order of all kinds of numbers, and the first of both zeros.
TEST(HalvesPoolMaximum, ComparesInfinitiesZerosAndTheSmallestNumbers) {
  const cpu::Bf16 ascending[] = {0xff80, 0xff7f, 0xc000, 0xbf80, 0x8001,
                                 0x0000, 0x0001, 0x3f80, 0x7f7f, 0x7f80};
  const HalvesPoolCase what{1, {1, 2, 1, 1, 1, 2, 1, 1, 0, 0}};
  PoolInputs inputs(what);
  for (std::size_t i = 1; i < std::size(ascending); ++i) {
    inputs.read = {ascending[i - 1], ascending[i], ascending[i], ascending[i - 1]};
    EXPECT_EQ(pool_halves(what, inputs, false, 1).maximum,
              (std::vector<cpu::Bf16>{ascending[i], ascending[i]}));
  }
  inputs.read = {0x8000, 0x0000, 0x0000, 0x8000};
  const PooledHalves zeros = pool_halves(what, inputs, false, 1);
  EXPECT_EQ(zeros.maximum_gradient,
            (std::vector<cpu::Bf16>{inputs.gradient[0], 0, inputs.gradient[1], 0}));
}

}  // namespace
}  // namespace convoy::test
