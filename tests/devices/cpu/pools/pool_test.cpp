#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <random>
#include <vector>

#include "plugins/devices/cpu/pools/blocked_pool.hpp"

namespace convoy::test::pool_test {
namespace {

struct PoolCase {
  std::size_t block, planes;
  cpu::PlaneWindows shape;

  std::size_t in_elements() const { return planes * shape.in_height * shape.in_width * block; }
  std::size_t out_elements() const { return planes * shape.out_height * shape.out_width * block; }
};

void PrintTo(const PoolCase& what, std::ostream* out) {
  const cpu::PlaneWindows& s = what.shape;
  *out << what.planes << " planes of " << s.in_height << "x" << s.in_width << " to " << s.out_height
       << "x" << s.out_width << ", window " << s.kernel_height << "x" << s.kernel_width
       << ", stride " << s.stride_height << ", padding " << s.pad_top << s.pad_left << ", block "
       << what.block;
}

// Few different values, so that many windows have equal largest cells.
std::vector<float> small_integers(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random() % 7) - 3.0f;
  return values;
}

// Calls use(element of the result, element of the source) for every pair, cell by cell in order.
template <typename Use>
void each_pair(const PoolCase& what, const Use& use) {
  const cpu::PlaneWindows& s = what.shape;
  for (std::size_t to = 0; to < what.out_elements(); ++to) {
    const std::size_t window = to / what.block;
    const std::size_t plane = window / (s.out_height * s.out_width);
    const std::size_t top = window / s.out_width % s.out_height * s.stride_height;
    const std::size_t left = window % s.out_width * s.stride_width;
    for (std::size_t i = 0; i < s.kernel_height * s.kernel_width; ++i) {
      const std::size_t row = top + i / s.kernel_width - s.pad_top;
      const std::size_t column = left + i % s.kernel_width - s.pad_left;
      if (row >= s.in_height || column >= s.in_width) continue;
      use(to, ((plane * s.in_height + row) * s.in_width + column) * what.block + to % what.block);
    }
  }
}

struct Pooled {
  std::vector<float> maximum, maximum_gradient, average, average_gradient;
};

// The gradients are added to what `before` holds, or overwrite sevens when it is empty.
Pooled compute(const PoolCase& what, const std::vector<float>& read,
               const std::vector<float>& gradient, const std::vector<float>& before, int threads) {
  omp_set_num_threads(threads);
  const bool add = !before.empty();
  const cpu::BlockedPool pool(what.shape, what.planes, what.block);
  Pooled result;
  std::vector<std::uint8_t> record(what.out_elements());
  result.maximum.resize(what.out_elements());
  result.average.resize(what.out_elements());
  result.maximum_gradient = add ? before : std::vector<float>(what.in_elements(), 7.0f);
  result.average_gradient = result.maximum_gradient;
  pool.max_forward(read.data(), result.maximum.data(), record.data());
  pool.max_backward(gradient.data(), record.data(), result.maximum_gradient.data(), add);
  pool.average_forward(read.data(), result.average.data());
  pool.average_backward(gradient.data(), result.average_gradient.data(), add);
  return result;
}

// Small integers are exact: so is everything here but the shares of the averages.
Pooled expected(const PoolCase& what, const std::vector<float>& read,
                const std::vector<float>& gradient, const std::vector<float>& before) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> largest(what.out_elements(), kNone);
  std::vector<float> count(what.out_elements()), sum(what.out_elements());
  each_pair(what, [&](std::size_t to, std::size_t from) {
    if (largest[to] == kNone || read[from] > read[largest[to]]) largest[to] = from;
    count[to] += 1.0f;
    sum[to] += read[from];
  });
  Pooled result;
  result.maximum_gradient = before.empty() ? std::vector<float>(what.in_elements()) : before;
  result.average_gradient = result.maximum_gradient;
  for (std::size_t to = 0; to < largest.size(); ++to) {
    result.maximum.push_back(read[largest[to]]);
    result.average.push_back(sum[to] / count[to]);
    result.maximum_gradient[largest[to]] += gradient[to];
  }
  each_pair(what, [&](std::size_t to, std::size_t from) {
    result.average_gradient[from] += gradient[to] / count[to];
  });
  return result;
}

void expect_near(const std::vector<float>& values, const std::vector<float>& wanted) {
  ASSERT_EQ(values.size(), wanted.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], wanted[i], 1e-5) << "element " << i;
  }
}

class PoolKernel : public testing::TestWithParam<PoolCase> {};

TEST_P(PoolKernel, TakesTheFirstOfTheLargestCellsAndTheMeanOfAll) {
  const PoolCase& what = GetParam();
  const std::vector<float> read = small_integers(what.in_elements(), 1);
  const std::vector<float> gradient = small_integers(what.out_elements(), 2);
  for (const std::vector<float>& before :
       {std::vector<float>(), small_integers(what.in_elements(), 3)}) {
    const Pooled computed = compute(what, read, gradient, before, 2);
    const Pooled wanted = expected(what, read, gradient, before);
    EXPECT_EQ(computed.maximum, wanted.maximum);
    EXPECT_EQ(computed.maximum_gradient, wanted.maximum_gradient);
    expect_near(computed.average, wanted.average);
    expect_near(computed.average_gradient, wanted.average_gradient);
  }
}

TEST_P(PoolKernel, GivesTheSameBitsForEveryNumberOfThreads) {
  const PoolCase& what = GetParam();
  const std::vector<float> read = small_integers(what.in_elements(), 4);
  const std::vector<float> gradient = small_integers(what.out_elements(), 5);
  const Pooled one = compute(what, read, gradient, {}, 1);
  for (const int threads : {2, 3}) {
    const Pooled several = compute(what, read, gradient, {}, threads);
    EXPECT_EQ(several.average, one.average) << threads;
    EXPECT_EQ(several.average_gradient, one.average_gradient) << threads;
    EXPECT_EQ(several.maximum_gradient, one.maximum_gradient) << threads;
  }
}

// Rows that no window reaches (the last ones here) get no gradient.
INSTANTIATE_TEST_SUITE_P(Shapes, PoolKernel,
                         testing::Values(PoolCase{8, 3, {9, 11, 4, 5, 3, 3, 2, 2, 0, 0}},
                                         PoolCase{8, 2, {6, 6, 3, 3, 3, 3, 2, 2, 0, 0}},
                                         PoolCase{16, 2, {7, 5, 7, 5, 3, 3, 1, 1, 1, 1}},
                                         PoolCase{8, 5, {8, 9, 4, 4, 2, 2, 2, 2, 0, 0}},
                                         PoolCase{16, 3, {7, 8, 1, 1, 7, 8, 1, 1, 0, 0}},
                                         PoolCase{8, 1, {7, 7, 4, 4, 1, 1, 2, 2, 0, 0}},
                                         PoolCase{8, 2, {10, 7, 5, 3, 5, 4, 2, 3, 2, 1}},
                                         PoolCase{8, 2, {9, 9, 2, 2, 2, 2, 3, 3, 0, 0}}));

// A diverged run must show: the largest of anything and not-a-number is that.
TEST(PoolMaximum, LetsNotANumberPass) {
  const PoolCase what{8, 1, {3, 3, 1, 1, 3, 3, 1, 1, 0, 0}};
  for (const std::size_t cell : {0, 4, 8}) {
    std::vector<float> read = small_integers(what.in_elements(), 6);
    read[cell * what.block + 2] = std::numeric_limits<float>::quiet_NaN();
    const Pooled pooled = compute(what, read, small_integers(what.out_elements(), 7), {}, 1);
    EXPECT_TRUE(std::isnan(pooled.maximum[2])) << "cell " << cell << ": " << pooled.maximum[2];
    EXPECT_FALSE(std::isnan(pooled.maximum[1])) << "cell " << cell;
  }
}

}  // namespace
}  // namespace convoy::test::pool_test
