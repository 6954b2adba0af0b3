#include "core/conformance/reference_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/conformance/layer_networks.hpp"

namespace convoy::conformance {
namespace {

constexpr std::uint32_t kBatch = 2;

// Values between -1/2 and 1/2 that differ from each other.
std::vector<float> values(std::size_t count, double seed) {
  std::vector<float> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(static_cast<float>(std::sin(seed + 1.7 * static_cast<double>(i)) / 2));
  return result;
}

class References : public testing::TestWithParam<LayerNetwork> {
 protected:
  References() : graph_(GetParam().build()) {}
  ReferenceNetwork reference() const {
    std::vector<std::vector<float>> parameters;
    for (const graph::GraphVariable& variable : graph_.variables())
      parameters.push_back(values(variable.elements, static_cast<double>(parameters.size())));
    return {graph_, kBatch, parameters,
            values(kBatch * graph_.nodes().front().output.elements(), 0.5),
            std::vector<std::int32_t>(kBatch, 1)};
  }

  const graph::Graph graph_;
};

// A derivative is found from the first layer that reads the variable on. What was asked before, of
// earlier and of later layers, makes no difference.
TEST_P(References, FindTheSameInAnyOrder) {
  ReferenceNetwork ascending = reference(), descending = reference();
  ascending.loss();
  const std::size_t count = graph_.variables().size();
  std::vector<double> found(count);
  for (std::size_t v = 0; v < count; ++v) found[v] = ascending.derivative(v, 0);
  for (std::size_t v = count; v-- > 0;) EXPECT_EQ(descending.derivative(v, 0), found[v]) << v;
  for (std::size_t v = 0; v < count; ++v) EXPECT_EQ(reference().derivative(v, 0), found[v]) << v;
  EXPECT_EQ(ascending.loss(), reference().loss());
}

TEST_P(References, RoundWhatTheyHadFoundBefore) {
  ReferenceNetwork used = reference(), fresh = reference();
  const std::size_t last = graph_.variables().size() - 1;
  used.derivative(last, 0);
  for (ReferenceNetwork* it : {&used, &fresh}) it->round_to_bf16(true);
  EXPECT_EQ(used.derivative(last, 0), fresh.derivative(last, 0));
}

INSTANTIATE_TEST_SUITE_P(Modern, References, testing::ValuesIn(modern_layer_networks()),
                         [](const auto& it) { return it.param.name; });
INSTANTIATE_TEST_SUITE_P(OfModels, References, testing::ValuesIn(model_layer_networks()),
                         [](const auto& it) { return it.param.name; });

}  // namespace
}  // namespace convoy::conformance
