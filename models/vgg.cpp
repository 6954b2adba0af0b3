#include <convoy/model.hpp>

#include <array>

namespace {

using convoy::LayerId;

constexpr std::array<int, 5> convolutions_per_group(int layers) {
  switch (layers) {
    case 11:
      return {1, 1, 2, 2, 2};
    case 16:
      return {2, 2, 3, 3, 3};
    default:
      return {2, 2, 4, 4, 4};
  }
}

// VGG: five groups of 3x3 convolutions, each followed by a pool, and three fully connected layers.
class Vgg : public convoy::Model {
  convoy::ModelInfo info() const override { return {.image_size = 224, .batch_size = 64}; }

  void build(convoy::GraphBuilder& g) override {
    static constexpr std::array<int, 5> kCounts = convolutions_per_group(CONVOY_VGG_LAYERS);
    static constexpr std::array<uint32_t, 5> kChannels = {64, 128, 256, 512, 512};
    LayerId x = g.input();
    for (size_t group = 0; group < kCounts.size(); ++group) {
      for (int i = 0; i < kCounts[group]; ++i)
        x = g.conv(x, kChannels[group], {.kernel = 3, .relu = true});
      x = g.max_pool(x);
    }
    x = g.dropout(g.fully_connected(x, 4096, {.relu = true}));
    x = g.dropout(g.fully_connected(x, 4096, {.relu = true}));
    g.classify(x);
  }
};

}  // namespace

CONVOY_MODEL(Vgg, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=VGG for ImageNet, 3x3 convolutions and 3 large fully connected layers.")
