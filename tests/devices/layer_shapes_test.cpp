// Layers of any shape on one, two and three threads, in f32 and bf16, against the reference: the
// library behind a device chooses among dozens of implementations by shape, instruction set
// (ONEDNN_MAX_CPU_ISA) and threads, and some of them are wrong or crash.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "core/conformance/reference_network.hpp"
#include "core/conformance/training_case.hpp"
#include "tests/devices/device_under_test.hpp"
#include "tests/devices/layer_shape.hpp"

namespace convoy::test {

void PrintTo(const LayerShape& shape, std::ostream* out) {
  *out << name_of(shape);
}

namespace {

constexpr std::uint32_t kMostThreads = 3;

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Sums {
  double product = 0;
  double norm = 0;
};

Sums along(const std::vector<float>& gradient, const std::vector<float>& direction) {
  Sums sums;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double value = gradient[i];
    sums.product += value * static_cast<double>(direction[i]);
    sums.norm += value * value;
  }
  sums.norm = std::sqrt(sums.norm);
  return sums;
}

// What the reference says of a shape's network; the same for every device and type.
class Expected {
 public:
  Expected(const TrainingCase& training, std::uint32_t batch)
      : reference_(training.graph(), batch, training.parameters, training.images, training.labels),
        loss_(reference_.loss()) {
    const std::size_t variables = training.graph().variables().size();
    for (std::size_t i = 0; i < variables; i += 2) {  // weights; biases lie between them
      directions_.push_back(signs(training.parameters[i].size(), i));
      derivatives_.push_back(reference_.derivative_along(i, directions_.back()));
    }
  }

  // One wrong element of a gradient moves the sum along the directions by as much.
  void compare(const TrainingCase& training, double loss_error, double gradient_error) const {
    EXPECT_NEAR(training.loss, loss_, loss_error * (1 + std::fabs(loss_)));
    for (std::size_t i = 0; i < directions_.size(); ++i) {
      const Sums measured = along(training.gradient(2 * i), directions_[i]);
      EXPECT_NEAR(measured.product, derivatives_[i], gradient_error * measured.norm + 2e-6)
          << training.graph().variables()[2 * i].name;
    }
  }

 private:
  static std::vector<float> signs(std::size_t count, std::size_t seed) {
    std::vector<float> values = noise(count, static_cast<std::uint32_t>(100 + seed));
    for (float& value : values) value = value < 0 ? -1.0f : 1.0f;
    return values;
  }

  ReferenceNetwork reference_;
  double loss_;
  std::vector<std::vector<float>> directions_;
  std::vector<double> derivatives_;
};

class Devices {
 public:
  void try_shape(const LayerShape& shape) {
    SCOPED_TRACE(name_of(shape));
    const graph::Graph graph = network_of(shape);
    std::unique_ptr<Expected> expected;
    for (const std::uint32_t dtype : {CONVOY_F32, CONVOY_BF16})
      for (std::uint32_t threads = 1; threads <= kMostThreads; ++threads) {
        const bool half = dtype == CONVOY_BF16;
        SCOPED_TRACE(std::to_string(threads) + (half ? " threads, bf16" : " threads, f32"));
        TrainingCase training(device(threads), graph, {.batch = shape.batch, .dtype = dtype});
        training.forward();
        training.backward();
        if (!expected) expected = std::make_unique<Expected>(training, shape.batch);
        // Rounded values are equal more often: maxima are found elsewhere.
        const bool maxima = shape.kind == CONVOY_LAYER_MAX_POOL;
        const double rounding = half ? 0.05 : 1e-4;
        expected->compare(training, half ? 0x1p-6 : 1e-5, (maxima ? 5 : 1) * rounding);
      }
  }

 private:
  TestedDevice& device(std::uint32_t threads) {
    std::unique_ptr<DeviceUnderTest>& device = devices_.at(threads - 1);
    if (!device) device = std::make_unique<DeviceUnderTest>(1, 0, threads);
    return *device;
  }

  std::array<std::unique_ptr<DeviceUnderTest>, kMostThreads> devices_;
};

class LayerShapes : public testing::TestWithParam<LayerShape> {};

TEST_P(LayerShapes, AgreeWithTheReference) {
  Devices().try_shape(GetParam());
}

constexpr LayerShape kShapes[] = {
    {CONVOY_LAYER_FULLY_CONNECTED, 1, 1, 1, 1, 1, 1},
    {CONVOY_LAYER_FULLY_CONNECTED, 3, 1088, 1, 1, 1, 7},
    {CONVOY_LAYER_FULLY_CONNECTED, 16, 2048, 1, 1, 1, 3},
    {CONVOY_LAYER_FULLY_CONNECTED, 1088, 5, 1, 1, 1, 17},
    {CONVOY_LAYER_FULLY_CONNECTED, 65, 513, 1, 1, 1, 5},
    {CONVOY_LAYER_CONVOLUTION, 1, 64, 1, 1, 7, 3},
    {CONVOY_LAYER_CONVOLUTION, 3, 512, 1, 1, 4, 5},
    {CONVOY_LAYER_CONVOLUTION, 512, 3, 1, 2, 5, 3},
    {CONVOY_LAYER_CONVOLUTION, 1, 33, 3, 1, 9, 1},
    {CONVOY_LAYER_CONVOLUTION, 17, 16, 3, 2, 7, 3},
    {CONVOY_LAYER_CONVOLUTION, 64, 1, 3, 1, 5, 5},
    {CONVOY_LAYER_CONVOLUTION, 4, 15, 5, 3, 9, 2},
    {CONVOY_LAYER_CONVOLUTION, 2, 31, 7, 2, 5, 7},
    {CONVOY_LAYER_CONVOLUTION, 5, 17, 5, 3, 2, 1},
    {CONVOY_LAYER_CONVOLUTION, 65, 64, 3, 2, 1, 7},
    {CONVOY_LAYER_MAX_POOL, 1, 1, 3, 2, 9, 3},
    {CONVOY_LAYER_MAX_POOL, 65, 65, 2, 2, 5, 5},
    {CONVOY_LAYER_AVERAGE_POOL, 17, 17, 3, 1, 7, 3},
    {CONVOY_LAYER_AVERAGE_POOL, 256, 256, 5, 3, 5, 1},
};

INSTANTIATE_TEST_SUITE_P(Chosen, LayerShapes, testing::ValuesIn(kShapes),
                         [](const auto& test) { return name_of(test.param); });

// CONVOY_SHAPES: how many, CONVOY_TEST_SEED: which. The last name that is printed is a crash's
// culprit.
TEST(DrawnLayerShapes, AgreeWithTheReference) {
  const std::uint64_t count = number_of("CONVOY_SHAPES", 4);
  const double most_products = std::getenv("CONVOY_SHAPES") == nullptr ? 3e5 : 1e7;
  std::mt19937 random(static_cast<std::mt19937::result_type>(number_of("CONVOY_TEST_SEED", 1)));
  Devices devices;
  for (std::uint64_t i = 0; i < count; ++i) {
    const LayerShape shape = draw_shape(random, most_products);
    std::cout << i << " " << name_of(shape) << std::endl;
    devices.try_shape(shape);
  }
}

}  // namespace
}  // namespace convoy::test
