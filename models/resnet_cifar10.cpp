#include <convoy/model.hpp>

namespace {

using convoy::GraphBuilder;
using convoy::LayerId;

// Version 2: batch norm and ReLU come before a block instead of ReLU after the sum.
constexpr bool kPreactivated = CONVOY_RESNET_PREACTIVATED;
constexpr int kBlocksPerGroup = (CONVOY_RESNET_LAYERS - 2) / 6;
constexpr convoy::BatchNormOptions kNorm = {.scale = true, .epsilon = 1e-5, .decay = 0.9};
// Batch norms without a convolution, in version 2, have no gamma.
constexpr convoy::BatchNormOptions kOwnNorm = {};

// Residual networks for images of 32x32: three groups of blocks of two 3x3 convolutions. A shortcut
// to a wider block takes every other pixel and pads with channels of zeros, so it has no variables.
class ResNetCifar10 : public convoy::Model {
  convoy::ModelInfo info() const override {
    return {.image_size = 32,
            .batch_size = 128,
            .dataset = "cifar10",
            .rate = convoy::piecewise_rate(0.1, 0, 0, {{82, 0.1}, {123, 0.01}, {300, 0.002}})};
  }

  void build(GraphBuilder& g) override {
    LayerId x = g.conv(g.input(), 16, {.kernel = 3, .batch_norm = kNorm, .relu = kPreactivated});
    for (const uint32_t width : {16u, 32u, 64u}) {
      for (int i = 0; i < kBlocksPerGroup; ++i)
        x = block(g, x, width, g.shape(x).channels == width ? 1 : 2);
    }
    if (kPreactivated) x = g.relu(g.batch_norm(x, kOwnNorm));
    g.classify(g.global_average_pool(x));
  }

  static LayerId block(GraphBuilder& g, LayerId x, uint32_t width, uint32_t stride) {
    LayerId shortcut = x;
    if (g.shape(x).channels != width)
      shortcut = g.pad_channels(g.average_pool(x, {.kernel = 1, .stride = stride}), width);
    LayerId y = kPreactivated ? g.relu(g.batch_norm(x, kOwnNorm)) : x;
    y = g.conv(y, width, {.kernel = 3, .stride = stride, .batch_norm = kNorm, .relu = true});
    if (kPreactivated) return g.add(shortcut, g.conv(y, width, {.kernel = 3, .bias = false}));
    return g.relu(g.add(shortcut, g.conv(y, width, {.kernel = 3, .batch_norm = kNorm})));
  }
};

}  // namespace

CONVOY_MODEL(ResNetCifar10, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=Residual network for CIFAR-10 with blocks of two convolutions.")
