#include <convoy/model.hpp>

namespace {

using convoy::constant;
using convoy::LayerId;
using convoy::Padding;
using convoy::truncated_normal;

// The small AlexNet for images of 32x32: two convolutions with local response norm, and three fully
// connected layers. Initial weights are smaller than the layers' usual rule.
class AlexNetCifar10 : public convoy::Model {
  convoy::ModelInfo info() const override {
    return {.image_size = 32,
            .batch_size = 128,
            .dataset = "cifar10",
            .rate = convoy::staircase_rate(0.1, 100, 0.1)};
  }

  void build(convoy::GraphBuilder& g) override {
    static constexpr convoy::PoolOptions kHalve = {
        .kernel = 3, .stride = 2, .padding = Padding::kSame};
    static constexpr convoy::LocalResponseNormOptions kNorm = {
        .radius = 4, .offset = 1, .alpha = 0.001 / 9, .beta = 0.75};
    LayerId x =
        g.conv(g.input(), 64, {.kernel = 5, .relu = true, .weights = truncated_normal(0.05)});
    x = g.local_response_norm(g.max_pool(x, kHalve), kNorm);
    x = g.conv(x, 64,
               {.kernel = 5,
                .relu = true,
                .weights = truncated_normal(0.05),
                .bias_start = constant(0.1)});
    x = g.max_pool(g.local_response_norm(x, kNorm), kHalve);
    for (const uint32_t outputs : {384u, 192u})
      x = g.fully_connected(
          x, outputs,
          {.relu = true, .weights = truncated_normal(0.04), .bias_start = constant(0.1)});
    g.classify(x);
  }
};

}  // namespace

CONVOY_MODEL(AlexNetCifar10, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=AlexNet for CIFAR-10: 2 convolutions, 3 fully connected layers.")
