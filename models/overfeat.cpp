#include <convoy/model.hpp>

namespace {

using convoy::LayerId;
using convoy::Padding;

// OverFeat, fast version.
class OverFeat : public convoy::Model {
  convoy::ModelInfo info() const override { return {.image_size = 231, .batch_size = 32}; }

  void build(convoy::GraphBuilder& g) override {
    LayerId x = g.conv(g.input(), 96,
                       {.kernel = 11, .stride = 4, .padding = Padding::kValid, .relu = true});
    x = g.max_pool(x);
    x = g.conv(x, 256, {.kernel = 5, .padding = Padding::kValid, .relu = true});
    x = g.max_pool(x);
    for (const uint32_t channels : {512u, 1024u, 1024u})
      x = g.conv(x, channels, {.kernel = 3, .relu = true});
    x = g.max_pool(x);
    x = g.dropout(g.fully_connected(x, 3072, {.relu = true}));
    x = g.dropout(g.fully_connected(x, 4096, {.relu = true}));
    g.classify(x);
  }
};

}  // namespace

CONVOY_MODEL(OverFeat, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=OverFeat for ImageNet, the largest gradients of the classic networks.")
