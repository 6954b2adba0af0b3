#include <convoy/model.hpp>

namespace {

using convoy::LayerId;
using convoy::Padding;

// AlexNet in the "one weird trick" form, without groups and local response norm, and with 384
// instead of 256 channels in the fourth convolution.
class AlexNet : public convoy::Model {
  convoy::ModelInfo info() const override { return {.image_size = 227, .batch_size = 512}; }

  void build(convoy::GraphBuilder& g) override {
    LayerId x = g.conv(g.input(), 64,
                       {.kernel = 11, .stride = 4, .padding = Padding::kValid, .relu = true});
    x = g.max_pool(x, {.kernel = 3});
    x = g.conv(x, 192, {.kernel = 5, .relu = true});
    x = g.max_pool(x, {.kernel = 3});
    x = g.conv(x, 384, {.kernel = 3, .relu = true});
    x = g.conv(x, 384, {.kernel = 3, .relu = true});
    x = g.conv(x, 256, {.kernel = 3, .relu = true});
    x = g.max_pool(x, {.kernel = 3});
    x = g.dropout(g.fully_connected(x, 4096, {.relu = true}));
    x = g.dropout(g.fully_connected(x, 4096, {.relu = true}));
    g.classify(x);
  }
};

}  // namespace

CONVOY_MODEL(AlexNet, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=AlexNet for ImageNet, 5 convolutions and 3 fully connected layers.")
