#include <convoy/model.hpp>

namespace {

using convoy::GraphBuilder;
using convoy::LayerId;

constexpr double kReluLimit = 6;
constexpr convoy::Initializer kStart = convoy::truncated_normal(0.09);
// Weight decay also applies to gamma and beta, as always in this network.
constexpr convoy::BatchNormOptions kNorm = {.scale = true, .decayed = true, .decay = 0.997};

// Blocks of the same width; only the first one has the stride.
struct Blocks {
  uint32_t expansion;
  uint32_t width;
  int count;
  uint32_t stride;
};

constexpr Blocks kBlocks[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                              {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

// MobileNet-v2 with its full width. Its own classifier is followed by the common one, so there are
// two in a row.
class MobileNet : public convoy::Model {
  convoy::ModelInfo info() const override { return {.image_size = 224, .batch_size = 32}; }

  void build(GraphBuilder& g) override {
    LayerId x = conv(g, g.input(), 32, {.kernel = 3, .stride = 2});
    for (const Blocks& blocks : kBlocks) {
      for (int i = 0; i < blocks.count; ++i)
        x = inverted_block(g, x, blocks, i == 0 ? blocks.stride : 1);
    }
    x = g.dropout(g.global_average_pool(conv(g, x, 1280, {})), 0.8);
    g.classify(g.fully_connected(x, g.classes(), {.weights = kStart}));
  }

  static LayerId conv(GraphBuilder& g, LayerId x, uint32_t channels,
                      convoy::ConvolutionOptions options, bool active = true) {
    options.batch_norm = kNorm;
    options.relu = active;
    options.limit = kReluLimit;
    options.weights = kStart;
    return g.conv(x, channels, options);
  }

  // Expands, filters every channel separately, and projects without an activation.
  static LayerId inverted_block(GraphBuilder& g, LayerId x, const Blocks& blocks, uint32_t stride) {
    const uint32_t channels = g.shape(x).channels;
    const uint32_t inner = blocks.expansion * channels;
    LayerId y = inner == channels ? x : conv(g, x, inner, {});
    y = conv(g, y, inner, {.kernel = 3, .stride = stride, .groups = inner});
    y = conv(g, y, blocks.width, {}, false);
    return stride == 1 && channels == blocks.width ? g.add(x, y) : y;
  }
};

}  // namespace

CONVOY_MODEL(MobileNet, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=MobileNet-v2 for ImageNet: depthwise convolutions, few operations.")
