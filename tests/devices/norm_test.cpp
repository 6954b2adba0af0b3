#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/plan/reference/guard.hpp"
#include "tests/devices/device_under_test.hpp"

namespace convoy::test {
namespace {

constexpr std::size_t kCount = 200003;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A gradient of three contributions under a loss scale, with weight decay on two ranges.
struct NormCase {
  NormCase() {
    optimizer.struct_size = sizeof optimizer;
    optimizer.kind = CONVOY_OPTIMIZER_MOMENTUM;
    optimizer.momentum = 0.9;
    optimizer.weight_decay = 0.1;
    optimizer.gradient_scale = 0.5;
    update.struct_size = sizeof update;
    update.optimizer = &optimizer;
    update.contributions = 3;
    update.state[0] = velocity.data();
    update.decayed = decayed;
    update.decayed_count = 2;
  }

  static bool is_decayed(std::size_t i) { return (i >= 5 && i < 105) || (i >= 3000 && i < 150000); }

  convoy_submission submission(std::uint32_t kind, std::uint32_t flags) {
    convoy_submission it = operation(kind, reads, writes);
    it.flags = flags;
    it.updates = updates;
    it.update_count = 1;
    it.result = &result;
    it.learning_rate = 0.05;
    return it;
  }

  double measure(DeviceUnderTest& device, bool whole) {
    reads = {region(gradient)};
    if (whole) reads.push_back(region(parameters));
    reads.push_back(region(scale));
    writes = {region(norm)};
    device.run(submission(CONVOY_OP_NORM, CONVOY_OP_LOSS_SCALED));
    return result;
  }

  void apply(DeviceUnderTest& device, double limit) {
    reads = {region(gradient), region(scale), region(norm)};
    writes = {region(parameters)};
    convoy_submission it = submission(
        CONVOY_OP_APPLY, CONVOY_OP_LOSS_SCALED | CONVOY_OP_NORMED | CONVOY_OP_SKIP_NON_FINITE);
    it.scalar = limit;
    device.run(it);
  }

  convoy_optimizer optimizer{};
  convoy_update update{};
  const convoy_update* updates[1] = {&update};
  convoy_decay_range decayed[2] = {{5, 100}, {3000, 147000}};
  std::vector<float> gradient = noise(kCount, 1);
  std::vector<float> parameters = noise(kCount, 2);
  std::vector<float> velocity = noise(kCount, 3);
  std::vector<float> scale = {64, 0};
  std::vector<float> norm = {-1};
  std::vector<convoy_region> reads;
  std::vector<convoy_region> writes;
  double result = -1;
};

TEST(Norm, IsThatOfTheGradientInFloat64WithAndWithoutWeightDecay) {
  for (const std::uint32_t threads : {1u, 2u}) {
    DeviceUnderTest device(1, 0, threads);
    NormCase it;
    for (const bool whole : {false, true}) {
      double expected = 0;
      for (std::size_t i = 0; i < kCount; ++i) {
        const double mean = static_cast<double>(it.gradient[i]) / 3 / 64;
        const double decay =
            NormCase::is_decayed(i) ? 0.1 * static_cast<double>(it.parameters[i]) : 0;
        const double g = whole ? 0.5 * (mean + decay) : mean;
        expected += g * g;
      }
      EXPECT_NEAR(it.measure(device, whole), expected, 1e-6 * expected) << whole;
      EXPECT_EQ(it.norm[0], static_cast<float>(std::sqrt(it.result)));
    }
  }
}

TEST(Norm, HasTheBitsOfTheInterpreter) {
  plan::UpdateConstants constants;
  constants.contributions = 3;
  constants.gradient_scale = 0.5f;
  constants.weight_decay = 0.1f;
  plan::include_loss_scale(constants, 64);
  DeviceUnderTest device;
  NormCase it;
  EXPECT_EQ(it.measure(device, true),
            plan::gradient_square_sum(constants, it.gradient, it.parameters, NormCase::is_decayed));
  EXPECT_EQ(
      it.measure(device, false),
      plan::gradient_square_sum(constants, it.gradient, {}, [](std::size_t) { return false; }));
}

TEST(Norm, OneNumberThatIsNotFiniteShowsAndHugeOnesAreNone) {
  DeviceUnderTest device;
  for (const std::size_t at : {std::size_t{0}, kCount / 2, kCount - 1})
    for (const float bad : {kInfinity, -kInfinity, std::nanf("")}) {
      NormCase it;
      it.gradient[at] = bad;
      it.measure(device, false);
      EXPECT_FALSE(std::isfinite(it.norm[0])) << bad << " at " << at;
    }
  NormCase it;
  it.gradient[7] = 1e38f;  // its square is not an f32
  it.measure(device, false);
  EXPECT_NEAR(it.norm[0], 1e38 / 3 / 64, 1e32);
}

TEST(Apply, SkipsEverythingWhenTheNormIsNotFinite) {
  DeviceUnderTest device;
  for (const float bad : {kInfinity, std::nanf("")}) {
    NormCase it;
    it.norm[0] = bad;
    const NormCase before;
    it.apply(device, 0);
    EXPECT_EQ(it.parameters, before.parameters);
    EXPECT_EQ(it.velocity, before.velocity);
  }
}

TEST(Apply, ShrinksTheGradientToTheLimit) {
  DeviceUnderTest device;
  NormCase it;
  it.norm[0] = 8;
  it.apply(device, 2);
  const NormCase before;
  for (std::size_t i = 0; i < kCount; ++i) {
    const double w = static_cast<double>(before.parameters[i]);
    const double decay = NormCase::is_decayed(i) ? 0.1 * w : 0;
    const double g = 0.25 * 0.5 * (static_cast<double>(before.gradient[i]) / 3 / 64 + decay);
    const double v = 0.9 * static_cast<double>(before.velocity[i]) + g;
    ASSERT_NEAR(it.velocity[i], v, 1e-6) << i;
    ASSERT_NEAR(it.parameters[i], w - 0.05 * (g + 0.9 * v), 1e-6) << i;
  }
}

struct Adapted {
  std::vector<float> state;
  std::vector<float> norms;
  std::vector<float> expected;
};

TEST(AdaptLossScale, CountsCleanStepsDoublesAfterThemAndHalvesAfterAnOverflow) {
  const float largest = std::ldexp(1.0f, 127);
  const float smallest = std::ldexp(1.0f, -126);
  const std::vector<Adapted> table = {{{4, 0}, {1, 2}, {4, 1}},
                                      {{4, 9}, {1, 2}, {4, 10}},
                                      {{4, 10}, {1, 2}, {8, 0}},
                                      {{4, 10}, {1, kInfinity}, {2, 0}},
                                      {{4, 3}, {std::nanf(""), 1}, {2, 0}},
                                      {{largest, 10}, {1}, {largest, 0}},
                                      {{smallest, 2}, {kInfinity}, {smallest, 0}}};
  DeviceUnderTest device;
  const std::uint64_t sizes[4] = {10, 0, 0, 0};
  for (const Adapted& row : table) {
    std::vector<float> state = row.state;
    std::vector<float> norms = row.norms;
    const convoy_region read = region(norms);
    const convoy_region write = region(state);
    double before = -1;
    convoy_submission it = operation(CONVOY_OP_ADAPT_LOSS_SCALE, {&read, 1}, {&write, 1});
    it.sizes = sizes;
    it.result = &before;
    device.run(it);
    EXPECT_EQ(state, row.expected) << row.state[0] << ", " << row.state[1];
    EXPECT_EQ(before, row.state[0]);
    state = row.state;
    plan::adapt_loss_scale(state.data(), norms, 10);
    EXPECT_EQ(state, row.expected) << "the interpreter's, " << row.state[0];
  }
}

}  // namespace
}  // namespace convoy::test
