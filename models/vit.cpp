#include <convoy/model.hpp>

namespace {

using convoy::GraphBuilder;
using convoy::LayerId;
using convoy::Padding;

constexpr uint32_t kPatch = 16;
constexpr uint32_t kWidth = 768;
constexpr uint32_t kHeads = 12;
constexpr uint32_t kExpanded = 3072;
constexpr int kBlocks = 12;
constexpr convoy::Initializer kStart = convoy::truncated_normal(0.02);

// Vision transformer (Dosovitskiy et al. 2021), base size, patches of 16x16 pixels. Layers that
// treat every token separately are 1x1 convolutions.
class VisionTransformer : public convoy::Model {
  convoy::ModelInfo info() const override {
    // The rate is 3e-3 at a batch of 4096 after 10000 steps (some 32 epochs) of warm-up, for Adam.
    return {.image_size = 224,
            .batch_size = 32,
            .rate = convoy::piecewise_rate(3e-3, 4096, 32, {{150, 0.5}, {225, 0.1}, {275, 0.01}})};
  }

  void build(GraphBuilder& g) override {
    LayerId x =
        g.conv(g.input(), kWidth, {.kernel = kPatch, .stride = kPatch, .padding = Padding::kValid});
    x = g.position(g.class_token(x));
    for (int block = 0; block < kBlocks; ++block) x = encoder_block(g, x);
    x = first_cell(g, g.layer_norm(x));
    g.softmax_cross_entropy(g.fully_connected(x, g.classes(), {.weights = convoy::constant(0)}));
  }

  static LayerId encoder_block(GraphBuilder& g, LayerId x) {
    LayerId y = each_token(g, g.layer_norm(x), 3 * kWidth);
    x = g.add(x, each_token(g, g.attention(y, kHeads), kWidth));
    y = g.gelu(each_token(g, g.layer_norm(x), kExpanded));
    return g.add(x, each_token(g, y, kWidth));
  }

  static LayerId each_token(GraphBuilder& g, LayerId x, uint32_t channels) {
    return g.conv(x, channels, {.weights = kStart});
  }

  // Returns the class token: the pooling window is one cell, and its second position is outside.
  static LayerId first_cell(GraphBuilder& g, LayerId x) {
    return g.average_pool(x, {.kernel = 1, .stride = {g.shape(x).height, 1}});
  }
};

}  // namespace

CONVOY_MODEL(VisionTransformer, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=Vision transformer ViT-B/16 for ImageNet.")
