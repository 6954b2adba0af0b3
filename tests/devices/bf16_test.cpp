#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/conformance/layer_builder.hpp"
#include "core/conformance/layer_networks.hpp"
#include "core/conformance/reference_network.hpp"
#include "core/conformance/training_case.hpp"
#include "tests/devices/device_under_test.hpp"

namespace convoy::test::bf16_test {
namespace {

constexpr TrainingOptions kBf16 = {.dtype = CONVOY_BF16};

class Bf16Networks : public testing::TestWithParam<LayerNetwork> {};

TEST_P(Bf16Networks, HaveTheLossOfAReferenceThatRounds) {
  DeviceUnderTest device;
  TrainingCase rounded(device, GetParam().build(), kBf16);
  ReferenceNetwork reference(rounded.graph(), rounded.batch(), rounded.parameters, rounded.images,
                             rounded.labels);
  const double exact = reference.loss();
  reference.round_to_bf16(device.has(CONVOY_DEVICE_EMULATES_HALF));
  const double expected = reference.loss();
  rounded.forward();
  // Sums in f32 and in f64 rarely fall on two sides of a rounding boundary.
  EXPECT_NEAR(rounded.loss, expected, 3e-5);
  EXPECT_NE(expected, exact) << "rounding changes nothing in this case";
}

double norm(const std::vector<float>& values) {
  double squares = 0.0;
  for (const float value : values) squares += static_cast<double>(value) * value;
  return std::sqrt(squares);
}

// Rounding turns decisions of relus and pools over, each worth several percent of a norm in
// networks this small; unrelated gradients would differ by more than 1.
TEST_P(Bf16Networks, HaveNearlyTheGradientsOfF32) {
  DeviceUnderTest device;
  TrainingCase exact(device, GetParam().build(), {});
  TrainingCase rounded(device, GetParam().build(), kBf16);
  exact.forward();
  exact.backward();
  rounded.forward();
  rounded.backward();
  double kernel = 0.0;  // a bias in front of a batch norm has a gradient of nothing but noise
  for (std::size_t i = 0; i < exact.parameters.size(); ++i) {
    const std::vector<float> right = exact.gradient(i);
    std::vector<float> difference = rounded.gradient(i);
    for (std::size_t k = 0; k < right.size(); ++k) difference[k] -= right[k];
    if (exact.graph().variables()[i].fan_in > 0) kernel = norm(right);
    EXPECT_LT(norm(difference), 0.35 * std::max(norm(right), kernel))
        << exact.graph().variables()[i].name;
  }
  EXPECT_EQ(rounded.gradient_padding(), 0.0f);
}

std::string network_name(const testing::TestParamInfo<LayerNetwork>& test) {
  return test.param.name;
}

INSTANTIATE_TEST_SUITE_P(All, Bf16Networks, testing::ValuesIn(all_layer_networks()), network_name);

// y = W2 relu(W1 x + b1) + b2 and its cross-entropy, rounded where bf16 training rounds.
class TwoLayers {
 public:
  using Vector = std::vector<double>;
  explicit TwoLayers(const TrainingCase& training)
      : batch_(training.batch()),
        inputs_(rounded(training.images).size() / batch_),
        x_(rounded(training.images)),
        w1_(rounded(training.parameters[0])),
        b1_(training.parameters[1].begin(), training.parameters[1].end()),
        w2_(rounded(training.parameters[2])),
        b2_(training.parameters[3].begin(), training.parameters[3].end()),
        labels_(training.labels) {
    const std::size_t hidden = b1_.size(), classes = b2_.size();
    gradients_ = {Vector(w1_.size()), Vector(hidden), Vector(w2_.size()), Vector(classes)};
    for (std::size_t image = 0; image < batch_; ++image) add_image(image);
  }
  const std::vector<Vector>& gradients() const { return gradients_; }

 private:
  static Vector rounded(const std::vector<float>& values) {
    Vector result;
    for (const float value : values) result.push_back(nearest_bf16(static_cast<double>(value)));
    return result;
  }
  static Vector multiply(const Vector& weights, const double* in, std::size_t inputs,
                         const Vector& bias) {
    Vector out = bias;
    for (std::size_t i = 0; i < weights.size(); ++i) out[i / inputs] += weights[i] * in[i % inputs];
    for (double& value : out) value = nearest_bf16(value);
    return out;
  }
  static void add_outer(const Vector& left, const double* right, std::size_t count, Vector& weights,
                        Vector& bias) {
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] += left[i / count] * right[i % count];
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] += left[i];
  }

  void add_image(std::size_t image) {
    const double* x = &x_[image * inputs_];
    Vector hidden = multiply(w1_, x, inputs_, b1_);
    for (double& value : hidden) value = std::max(value, 0.0);
    Vector scores = multiply(w2_, hidden.data(), hidden.size(), b2_);
    double sum = 0.0;
    for (const double score : scores) sum += std::exp(score);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double truth = static_cast<std::size_t>(labels_[image]) == i ? 1.0 : 0.0;
      scores[i] = nearest_bf16((std::exp(scores[i]) / sum - truth) / static_cast<double>(batch_));
    }
    Vector back(hidden.size());
    for (std::size_t i = 0; i < w2_.size(); ++i)
      back[i % hidden.size()] += w2_[i] * scores[i / hidden.size()];
    for (std::size_t i = 0; i < back.size(); ++i)
      back[i] = hidden[i] > 0.0 ? nearest_bf16(back[i]) : 0.0;
    add_outer(back, x, inputs_, gradients_[0], gradients_[1]);
    add_outer(scores, hidden.data(), hidden.size(), gradients_[2], gradients_[3]);
  }

  std::size_t batch_, inputs_;
  Vector x_, w1_, b1_, w2_, b2_;
  std::vector<std::int32_t> labels_;
  std::vector<Vector> gradients_;
};

void expect_rounded_gradients(const LayerCase& first) {
  graph::GraphAssembler assembler("two", 6, 5);
  const std::uint32_t hidden = relu(LayerCase(first).add_to(assembler)).add_to(assembler);
  loss(fully_connected(hidden, 5).add_to(assembler)).add_to(assembler);
  DeviceUnderTest device;
  TrainingCase training(device, assembler.finish(), {.batch = 4, .dtype = CONVOY_BF16});
  training.forward();
  training.backward();
  const TwoLayers reference(training);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::vector<float> measured = training.gradient(i);
    for (std::size_t k = 0; k < measured.size(); ++k)
      ASSERT_NEAR(measured[k], reference.gradients()[i][k], 1e-6) << "variable " << i << ", " << k;
  }
}

TEST(Bf16Gradients, OfFullyConnectedLayersAreThoseOfRoundedOperands) {
  for (const std::uint32_t outputs : {1u, 7u, 8u, 9u, 32u}) {
    SCOPED_TRACE("outputs " + std::to_string(outputs));
    expect_rounded_gradients(fully_connected(0, outputs));
  }
}

TEST(Bf16Gradients, OfConvolutionsAreThoseOfRoundedOperands) {
  for (const std::uint32_t channels : {9u, 16u}) {  // whole blocks are another kernel's
    SCOPED_TRACE("channels " + std::to_string(channels));
    expect_rounded_gradients(convolution(0, channels, 6, 1, CONVOY_PADDING_VALID));
  }
}

struct Kernel {
  std::uint32_t height, width, stride, padding;
};

// Linear networks differ by rounding alone, each operand and result by up to 2^-9 of itself with
// either sign: their norms by less than 2^-6. Whole blocks of channels are what libraries are fast
// at.
void expect_gradients_of_f32(const Kernel& kernel, std::uint32_t side) {
  graph::GraphAssembler assembler("linear", side, 4);
  const std::uint32_t first = convolution(0, 64, 3).add_to(assembler);
  LayerCase second = convolution(first, 64, kernel.height, kernel.stride, kernel.padding);
  second.layer.kernel_width = kernel.width;
  loss(fully_connected(second.add_to(assembler), 4).add_to(assembler)).add_to(assembler);
  const graph::Graph graph = assembler.finish();
  DeviceUnderTest device;
  TrainingCase exact(device, graph, {});
  TrainingCase rounded(device, graph, kBf16);
  for (TrainingCase* training : {&exact, &rounded}) {
    training->forward();
    training->backward();
  }
  for (const std::size_t variable : {0u, 2u}) {  // of the first convolution, of the second
    const std::vector<float> right = exact.gradient(variable);
    std::vector<float> difference = rounded.gradient(variable);
    for (std::size_t i = 0; i < right.size(); ++i) difference[i] -= right[i];
    EXPECT_LT(norm(difference), 0x1p-6 * norm(right))
        << kernel.height << "x" << kernel.width << ", stride " << kernel.stride << ", side " << side
        << ", variable " << variable;
  }
}

// Eight cells are whole tiles of Winograd's algorithm, nine are not.
TEST(Bf16Gradients, OfConvolutionsOfAllKindsAreThoseOfF32ButForRounding) {
  for (const Kernel& kernel :
       {Kernel{1, 1, 1, CONVOY_PADDING_SAME}, Kernel{1, 1, 2, CONVOY_PADDING_SAME},
        Kernel{3, 3, 1, CONVOY_PADDING_SAME}, Kernel{3, 3, 1, CONVOY_PADDING_VALID},
        Kernel{1, 7, 1, CONVOY_PADDING_SAME}, Kernel{7, 1, 1, CONVOY_PADDING_SAME},
        Kernel{2, 4, 1, CONVOY_PADDING_SAME}, Kernel{3, 3, 2, CONVOY_PADDING_SAME}}) {
    for (const std::uint32_t side : {8u, 9u}) expect_gradients_of_f32(kernel, side);
  }
}

TEST(Bf16Programs, RoundTheBoundOfARelu) {
  // 1.003 lies between the neighbours 1 and 1.0078125; an activation of 5 is cut to the former.
  graph::GraphAssembler assembler("bound", 2, 4);
  LayerCase bounded = relu(fully_connected(0, 16).add_to(assembler));
  bounded.layer.limit = 1.003;
  LayerCase(CONVOY_LAYER_MEAN_LOSS, {bounded.add_to(assembler)}).add_to(assembler);
  DeviceUnderTest device;
  TrainingCase training(device, assembler.finish(), kBf16);
  std::fill(training.parameters[0].begin(), training.parameters[0].end(), 0.0f);
  std::fill(training.parameters[1].begin(), training.parameters[1].end(), 5.0f);
  training.forward();
  training.backward();
  EXPECT_EQ(training.loss, 1.0);
  EXPECT_EQ(norm(training.gradient(1)), 0.0) << "what was cut off has a gradient";
}

TEST(Bf16Programs, OtherTypesAreRefused) {
  graph::GraphAssembler assembler("type", 2, 4);
  loss(fully_connected(0, 4).add_to(assembler)).add_to(assembler);
  const graph::Graph graph = assembler.finish();
  DeviceUnderTest device;
  EXPECT_THROW(TrainingCase(device, graph, {.dtype = CONVOY_F16}), std::runtime_error);
}

// Fifty steps of gradient descent on one batch.
std::vector<double> descend(const graph::Graph& graph, std::uint32_t dtype, float rate) {
  DeviceUnderTest device;
  TrainingCase training(device, graph, {.batch = 8, .dtype = dtype});
  std::vector<double> losses;
  for (int step = 0; step < 50; ++step) {
    training.forward(static_cast<std::uint64_t>(step));
    training.backward(static_cast<std::uint64_t>(step));
    losses.push_back(training.loss);
    for (std::size_t i = 0; i < training.parameters.size(); ++i) {
      const std::vector<float> gradient = training.gradient(i);
      for (std::size_t k = 0; k < gradient.size(); ++k)
        training.parameters[i][k] -= rate * gradient[k];
    }
  }
  return losses;
}

void expect_nearly_the_losses_of_f32(const graph::Graph& graph, float rate) {
  const std::vector<double> exact = descend(graph, CONVOY_F32, rate);
  const std::vector<double> rounded = descend(graph, CONVOY_BF16, rate);
  EXPECT_LT(exact.back(), 0.7 * exact.front()) << "it learns nothing";
  for (std::size_t step = 0; step < exact.size(); ++step) {
    EXPECT_NEAR(rounded[step], exact[step], 0.02 * exact[step]) << "step " << step;
  }
}

TEST(Bf16Training, OfALeNetStaysWithinTwoPercentOfF32) {
  graph::GraphAssembler assembler("lenet", 14, 10);
  std::uint32_t x = 0;
  for (const std::uint32_t channels : {16u, 24u}) {
    x = relu(convolution(x, channels, 5).add_to(assembler)).add_to(assembler);
    x = window_layer(CONVOY_LAYER_MAX_POOL, x, 2, 2, CONVOY_PADDING_VALID).add_to(assembler);
  }
  x = relu(fully_connected(x, 64).add_to(assembler)).add_to(assembler);
  loss(fully_connected(x, 10).add_to(assembler)).add_to(assembler);
  expect_nearly_the_losses_of_f32(assembler.finish(), 0.01f);
}

TEST(Bf16Training, OfAResNetStaysWithinTwoPercentOfF32) {
  graph::GraphAssembler assembler("resnet", 12, 10);
  const auto norm_relu = [&](std::uint32_t x) {
    return relu(batch_norm(x).add_to(assembler)).add_to(assembler);
  };
  std::uint32_t x = norm_relu(convolution(0, 16, 3).add_to(assembler));
  for (int block = 0; block < 3; ++block) {
    std::uint32_t main = norm_relu(convolution(x, 16, 3).add_to(assembler));
    main = batch_norm(convolution(main, 16, 3).add_to(assembler)).add_to(assembler);
    x = relu(LayerCase(CONVOY_LAYER_ADD, {x, main}).add_to(assembler)).add_to(assembler);
  }
  x = window_layer(CONVOY_LAYER_AVERAGE_POOL, x, 12, 1, CONVOY_PADDING_VALID).add_to(assembler);
  loss(fully_connected(x, 10).add_to(assembler)).add_to(assembler);
  expect_nearly_the_losses_of_f32(assembler.finish(), 0.02f);
}

}  // namespace
}  // namespace convoy::test::bf16_test
