#include <convoy/model.hpp>

#include <cmath>

namespace {

using convoy::GraphBuilder;
using convoy::LayerId;

constexpr uint32_t kGrowth = CONVOY_DENSENET_GROWTH;  // channels that a layer adds
constexpr int kLayersPerBlock = CONVOY_DENSENET_BLOCK;
constexpr convoy::BatchNormOptions kNorm = {.scale = true, .epsilon = 1e-5, .decay = 0.9};

// Densely connected networks for CIFAR-10: every layer of a block reads the outputs of all earlier
// layers of the block. A transition reduces the channels to twice the growth, as tf_cnn_benchmarks
// counts them, and not to the width that the block has reached, as in the paper.
class DenseNet : public convoy::Model {
  convoy::ModelInfo info() const override {
    return {.image_size = 32,
            .batch_size = 64,
            .dataset = "cifar10",
            .rate = convoy::piecewise_rate(0.1, 0, 0, {{150, 0.1}, {225, 0.01}, {300, 0.001}})};
  }

  void build(GraphBuilder& g) override {
    LayerId x = g.conv(g.input(), 16, {.kernel = 3});
    for (int block = 0; block < 3; ++block) {
      if (block > 0) x = transition(g, x);
      for (int i = 0; i < kLayersPerBlock; ++i) x = grow(g, x);
    }
    g.classify(g.global_average_pool(activate(g, x)));
  }

  static LayerId activate(GraphBuilder& g, LayerId x) { return g.relu(g.batch_norm(x, kNorm)); }

  static LayerId grow(GraphBuilder& g, LayerId x) {
    const double deviation = std::sqrt(2.0 / 9 / kGrowth);
    const LayerId grown = g.conv(activate(g, x), kGrowth,
                                 {.kernel = 3, .weights = convoy::truncated_normal(deviation)});
    return g.concat({x, grown});
  }

  static LayerId transition(GraphBuilder& g, LayerId x) {
    constexpr uint32_t kWidth = 2 * kGrowth;
    const double deviation = std::sqrt(2.0 / 9 / kWidth);
    x = g.conv(activate(g, x), kWidth,
               {.relu = true, .weights = convoy::truncated_normal(deviation)});
    return g.average_pool(x);
  }
};

}  // namespace

CONVOY_MODEL(DenseNet, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=Densely connected network for CIFAR-10: three blocks.")
