#include <convoy/model.hpp>

namespace {

using convoy::GraphBuilder;
using convoy::LayerId;
using convoy::Padding;

constexpr uint32_t kWidths[] = {96, 192, 384, 768};
constexpr int kDepths[] = {3, 3, 9, 3};
constexpr int kBlocks = 18;
constexpr uint32_t kExpansion = 4;
constexpr double kScaleStart = 1e-6;
constexpr double kMostDepthDropped = 0.1;  // in the last block; the first drops none
constexpr convoy::Initializer kStart = convoy::truncated_normal(0.02);

// ConvNeXt-T (Liu et al. 2022).
class ConvNext : public convoy::Model {
  convoy::ModelInfo info() const override {
    // The rate is 4e-3 at a batch of 4096 after 20 epochs of warm-up, for Adam.
    return {.image_size = 224,
            .batch_size = 32,
            .rate = convoy::piecewise_rate(4e-3, 4096, 20, {{150, 0.5}, {225, 0.1}, {275, 0.01}})};
  }

  void build(GraphBuilder& g) override {
    LayerId x = g.layer_norm(conv(g, g.input(), kWidths[0], 4, 4));
    int block = 0;
    for (int stage = 0; stage < 4; ++stage) {
      if (stage > 0) x = conv(g, g.layer_norm(x), kWidths[stage], 2, 2);
      for (int i = 0; i < kDepths[stage]; ++i, ++block)
        x = residual_block(g, x, 1 - kMostDepthDropped * block / (kBlocks - 1));
    }
    x = g.layer_norm(g.global_average_pool(x));
    g.softmax_cross_entropy(g.fully_connected(x, g.classes(), {.weights = kStart}));
  }

  static LayerId conv(GraphBuilder& g, LayerId x, uint32_t channels, uint32_t kernel,
                      uint32_t stride, uint32_t groups = 1) {
    return g.conv(x, channels,
                  {.kernel = kernel,
                   .stride = stride,
                   .padding = stride == 1 ? Padding::kSame : Padding::kValid,
                   .groups = groups,
                   .weights = kStart});
  }

  static LayerId residual_block(GraphBuilder& g, LayerId x, double keep) {
    const uint32_t width = g.shape(x).channels;
    LayerId y = g.layer_norm(conv(g, x, width, 7, 1, width));
    y = g.gelu(conv(g, y, kExpansion * width, 1, 1));
    y = g.scale(conv(g, y, width, 1, 1), kScaleStart);
    return g.add(x, keep < 1 ? g.stochastic_depth(y, keep) : y);
  }
};

}  // namespace

CONVOY_MODEL(ConvNext, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=ConvNeXt-T for ImageNet: 7x7 depthwise convolutions, layer norm, gelu.")
