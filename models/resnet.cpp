#include <convoy/model.hpp>

#include <array>

namespace {

using convoy::GraphBuilder;
using convoy::LayerId;
using convoy::Padding;

// CONVOY_RESNET_GROUPS: groups of the 3x3 convolutions, which are twice as wide with groups
// (ResNeXt, 32x4d). CONVOY_RESNET_SQUEEZE: every block weights its channels by a function of all
// cells (squeeze and excitation, 1/16). Version 1 has the ReLU after the sum and the stride in the
// first 1x1 convolution. Version 1.5 has the stride in the 3x3 convolution. Version 2 has batch
// norm and ReLU before the block.
enum class Version { k1, k1_5, k2 };

constexpr Version kVersion = Version::CONVOY_RESNET_VERSION;
constexpr uint32_t kGroups = CONVOY_RESNET_GROUPS;
constexpr bool kSqueezes = CONVOY_RESNET_SQUEEZE;
constexpr uint32_t kSqueezeReduction = 16;
constexpr convoy::BatchNormOptions kNorm = {.scale = true, .epsilon = 1e-5, .decay = 0.9};
// Batch norms without a convolution, in version 2, have no gamma.
constexpr convoy::BatchNormOptions kOwnNorm = {};

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

// Residual networks of bottleneck blocks.
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
    if (kVersion == Version::k2) x = g.relu(g.batch_norm(x, kOwnNorm));
    g.classify(g.global_average_pool(x));
  }

  static LayerId bottleneck(GraphBuilder& g, LayerId x, uint32_t width, uint32_t stride) {
    if (kVersion == Version::k2) return preactivated_bottleneck(g, x, width, stride);
    // If the width changes, the projection comes before the main branch.
    const LayerId shortcut = g.shape(x).channels == width
                                 ? x
                                 : g.conv(x, width, {.stride = stride, .batch_norm = kNorm});
    const bool late_stride = kVersion == Version::k1_5;
    const uint32_t inner_width = kGroups > 1 ? width / 2 : width / 4;
    LayerId y = inner(g, x, inner_width, late_stride ? 1 : stride, late_stride ? stride : 1);
    y = g.conv(y, width, {.batch_norm = kNorm});
    return g.relu(g.add(shortcut, kSqueezes ? squeeze_and_excite(g, y) : y));
  }

  static LayerId squeeze_and_excite(GraphBuilder& g, LayerId x) {
    const uint32_t width = g.shape(x).channels;
    const LayerId squeezed =
        g.fully_connected(g.global_average_pool(x), width / kSqueezeReduction, {.relu = true});
    return g.multiply(x, g.sigmoid(g.fully_connected(squeezed, width)));
  }

  // The projection reads the same input as the main branch. Without a projection, the raw input is
  // added.
  static LayerId preactivated_bottleneck(GraphBuilder& g, LayerId x, uint32_t width,
                                         uint32_t stride) {
    const LayerId active = g.relu(g.batch_norm(x, kOwnNorm));
    const LayerId shortcut =
        g.shape(x).channels == width ? x : g.conv(active, width, {.stride = stride, .bias = false});
    const LayerId y = inner(g, active, width / 4, stride, 1);
    return g.add(shortcut, g.conv(y, width, {.bias = false}));
  }

  static LayerId inner(GraphBuilder& g, LayerId x, uint32_t width, uint32_t stride_1x1,
                       uint32_t stride_3x3) {
    x = g.conv(x, width, {.stride = stride_1x1, .batch_norm = kNorm, .relu = true});
    return g.conv(x, width,
                  {.kernel = 3,
                   .stride = stride_3x3,
                   .padding = Padding::kFixed,
                   .groups = kGroups,
                   .batch_norm = kNorm,
                   .relu = true});
  }
};

}  // namespace

CONVOY_MODEL(ResNet, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=" CONVOY_RESNET_DESCRIPTION)
