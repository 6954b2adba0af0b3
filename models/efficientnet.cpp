#include <convoy/model.hpp>

namespace {

using convoy::GraphBuilder;
using convoy::LayerId;

constexpr convoy::BatchNormOptions kNorm = {.scale = true, .decay = 0.99};
constexpr uint32_t kSqueezeReduction = 4;  // of a block's input channels
constexpr double kMostDepthDropped = 0.2;  // in the last block; the first drops none

// Blocks of the same width; only the first one has the stride.
struct Stage {
  uint32_t expansion;
  uint32_t kernel;
  uint32_t width;
  int blocks;
  uint32_t stride;
};

constexpr Stage kStages[] = {{1, 3, 16, 1, 1}, {6, 3, 24, 2, 2},  {6, 5, 40, 2, 2},
                             {6, 3, 80, 3, 2}, {6, 5, 112, 3, 1}, {6, 5, 192, 4, 2},
                             {6, 3, 320, 1, 1}};
constexpr int kBlocks = 16;

// EfficientNet-B0 (Tan, Le 2019): inverted bottlenecks with squeeze and excitation and swish.
class EfficientNet : public convoy::Model {
  convoy::ModelInfo info() const override {
    // The rate is 0.016 at a batch of 256, times 0.97 every 2.4 epochs, for RMSProp.
    return {.image_size = 224, .batch_size = 32, .rate = convoy::staircase_rate(0.002, 2.4, 0.97)};
  }

  void build(GraphBuilder& g) override {
    LayerId x = active(g, g.input(), 32, {.kernel = 3, .stride = 2});
    int block = 0;
    for (const Stage& stage : kStages) {
      for (int i = 0; i < stage.blocks; ++i, ++block)
        x = inverted_block(g, x, stage, i == 0 ? stage.stride : 1,
                           1 - kMostDepthDropped * block / kBlocks);
    }
    x = g.global_average_pool(active(g, x, 1280, {}));
    g.classify(g.dropout(x, 0.8));
  }

  static LayerId active(GraphBuilder& g, LayerId x, uint32_t channels,
                        convoy::ConvolutionOptions options) {
    options.batch_norm = kNorm;
    return g.silu(g.conv(x, channels, options));
  }

  // Expands, filters every channel separately, weights the channels and projects.
  static LayerId inverted_block(GraphBuilder& g, LayerId x, const Stage& stage, uint32_t stride,
                                double keep) {
    const uint32_t channels = g.shape(x).channels;
    const uint32_t inner = stage.expansion * channels;
    LayerId y = inner == channels ? x : active(g, x, inner, {});
    y = active(g, y, inner, {.kernel = stage.kernel, .stride = stride, .groups = inner});
    y = squeeze_and_excite(g, y, channels / kSqueezeReduction);
    y = g.conv(y, stage.width, {.batch_norm = kNorm});
    if (stride != 1 || channels != stage.width) return y;
    return g.add(x, keep < 1 ? g.stochastic_depth(y, keep) : y);
  }

  static LayerId squeeze_and_excite(GraphBuilder& g, LayerId x, uint32_t squeezed) {
    const LayerId s = g.silu(g.fully_connected(g.global_average_pool(x), squeezed));
    return g.multiply(x, g.sigmoid(g.fully_connected(s, g.shape(x).channels)));
  }
};

}  // namespace

CONVOY_MODEL(EfficientNet, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=EfficientNet-B0 for ImageNet: squeeze and excitation, few operations.")
