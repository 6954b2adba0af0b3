#include <convoy/model.hpp>

#include <array>

namespace {

using convoy::GraphBuilder;
using convoy::LayerId;
using convoy::Padding;

constexpr bool kStrideIn3x3 = CONVOY_RESNET_STRIDE_IN_3X3;
constexpr convoy::BatchNormOptions kNorm = {.scale = true, .epsilon = 1e-5, .decay = 0.9};

constexpr std::array<int, 4> blocks_per_stage(int layers) {
  switch (layers) {
    case 50:
      return {3, 4, 6, 3};
    case 101:
      return {3, 4, 23, 3};
    default:
      return {3, 8, 36, 3};
  }
}

// Residual networks of bottleneck blocks, version 1: the ReLU comes after the sum. The variants
// differ in which convolution of a block has the stride: the first 1x1 (v1) or the 3x3 (v1.5).
class ResNet : public convoy::Model {
  convoy::ModelInfo info() const override {
    return {.image_size = 224,
            .batch_size = CONVOY_RESNET_LAYERS == 50 ? 64u : 32u,
            .rate = convoy::piecewise_rate(0.128, 256, 5,
                                           {{30, 0.1}, {60, 0.01}, {80, 0.001}, {90, 0.0001}})};
  }

  void build(GraphBuilder& g) override {
    static constexpr std::array<int, 4> kBlocks = blocks_per_stage(CONVOY_RESNET_LAYERS);
    LayerId x = g.conv(
        g.input(), 64,
        {.kernel = 7, .stride = 2, .padding = Padding::kFixed, .batch_norm = kNorm, .relu = true});
    x = g.max_pool(x, {.kernel = 3, .stride = 2, .padding = Padding::kSame});
    uint32_t width = 256;
    for (size_t stage = 0; stage < kBlocks.size(); ++stage, width *= 2) {
      for (int block = 0; block < kBlocks[stage]; ++block)
        x = bottleneck(g, x, width, stage > 0 && block == 0 ? 2 : 1);
    }
    g.classify(g.global_average_pool(x));
  }

  // The projection, where the width changes, comes before the main branch.
  static LayerId bottleneck(GraphBuilder& g, LayerId x, uint32_t width, uint32_t stride) {
    const LayerId shortcut = g.shape(x).channels == width
                                 ? x
                                 : g.conv(x, width, {.stride = stride, .batch_norm = kNorm});
    const uint32_t stride_1x1 = kStrideIn3x3 ? 1 : stride;
    const uint32_t stride_3x3 = kStrideIn3x3 ? stride : 1;
    LayerId y = g.conv(x, width / 4, {.stride = stride_1x1, .batch_norm = kNorm, .relu = true});
    y = g.conv(y, width / 4,
               {.kernel = 3,
                .stride = stride_3x3,
                .padding = Padding::kFixed,
                .batch_norm = kNorm,
                .relu = true});
    y = g.conv(y, width, {.batch_norm = kNorm});
    return g.relu(g.add(shortcut, y));
  }
};

}  // namespace

CONVOY_MODEL(ResNet, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=Residual network for ImageNet with bottleneck blocks.")
