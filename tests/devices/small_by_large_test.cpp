// Fully connected layers with few inputs and many outputs, at several numbers of threads: oneDNN
// shares such a layer's backward pass among threads in a way of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/conformance/layer_builder.hpp"
#include "core/conformance/reference_network.hpp"
#include "core/conformance/training_case.hpp"
#include "tests/devices/device_under_test.hpp"

namespace convoy::test {
namespace {

struct LayerSize {
  std::uint32_t inputs;
  std::uint32_t outputs;
};

void PrintTo(const LayerSize& size, std::ostream* out) {
  *out << size.inputs << " to " << size.outputs;
}

using SizeAndThreads = std::tuple<LayerSize, std::uint32_t>;

class SmallByLarge : public testing::TestWithParam<SizeAndThreads> {
 protected:
  // The layer between two others, so that it needs the gradient of its input.
  graph::Graph graph() const {
    const auto& [inputs, outputs] = std::get<0>(GetParam());
    graph::GraphAssembler assembler("small_by_large", 2, 5);
    const std::uint32_t few = fully_connected(0, inputs).add_to(assembler);
    const std::uint32_t many = fully_connected(few, outputs).add_to(assembler);
    loss(fully_connected(many, 5).add_to(assembler)).add_to(assembler);
    return assembler.finish();
  }
};

// About ten elements of every variable.
void expect_gradients(const TrainingCase& training, ReferenceNetwork& reference) {
  for (std::size_t i = 0; i < training.graph().variables().size(); ++i) {
    const std::vector<float> measured = training.gradient(i);
    double largest = 0.0;
    for (const float value : measured)
      largest = std::max(largest, std::fabs(static_cast<double>(value)));
    for (std::size_t k = 0; k < measured.size(); k += measured.size() / 10 + 1) {
      EXPECT_NEAR(measured[k], reference.derivative(i, k), 1e-4 * largest + 2e-6)
          << training.graph().variables()[i].name << " element " << k;
    }
  }
}

TEST_P(SmallByLarge, GradientsAgreeWithDifferencesOfAReference) {
  DeviceUnderTest device(1, 0, std::get<1>(GetParam()));
  for (const std::uint32_t batch : {1u, 2u, 32u}) {
    SCOPED_TRACE("batch " + std::to_string(batch));
    TrainingCase training(device, graph(), {.batch = batch});
    training.forward();
    training.backward();
    ReferenceNetwork reference(training.graph(), batch, training.parameters, training.images,
                               training.labels);
    EXPECT_NEAR(training.loss, reference.loss(), 1e-5);
    if (batch == 2) expect_gradients(training, reference);
  }
}

// Rounded sums of thousands of products may differ by one bf16 step of the scores.
TEST_P(SmallByLarge, HasNearlyTheLossOfAReferenceThatRounds) {
  DeviceUnderTest device(1, 0, std::get<1>(GetParam()));
  for (const std::uint32_t batch : {1u, 2u, 32u}) {
    SCOPED_TRACE("batch " + std::to_string(batch));
    TrainingCase training(device, graph(), {.batch = batch, .dtype = CONVOY_BF16});
    training.forward();
    training.backward();
    ReferenceNetwork reference(training.graph(), batch, training.parameters, training.images,
                               training.labels);
    reference.round_to_bf16(device.has(CONVOY_DEVICE_EMULATES_HALF));
    EXPECT_NEAR(training.loss, reference.loss(), 0x1p-8 * (1.0 + std::fabs(training.loss)));
  }
}

std::string size_and_threads(const testing::TestParamInfo<SizeAndThreads>& test) {
  const auto& [size, threads] = test.param;
  return std::to_string(size.inputs) + "_to_" + std::to_string(size.outputs) + "_on_" +
         std::to_string(threads);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, SmallByLarge,
    testing::Combine(testing::Values(LayerSize{1, 1088}, LayerSize{1, 4096}, LayerSize{2, 4096},
                                     LayerSize{8, 1536}, LayerSize{15, 4096}, LayerSize{16, 4096},
                                     LayerSize{17, 4096}, LayerSize{32, 8192}, LayerSize{33, 8192},
                                     LayerSize{64, 1024}, LayerSize{65, 1024}),
                     testing::Values(1u, 2u, 3u)),
    size_and_threads);

}  // namespace
}  // namespace convoy::test
