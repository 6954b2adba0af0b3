#include <convoy/model.hpp>

namespace {

using convoy::GraphBuilder;
using convoy::LayerId;
using convoy::Padding;

// Channels of the four columns of a module.
struct Columns {
  uint32_t direct;
  uint32_t reduce_3x3;
  uint32_t out_3x3;
  uint32_t reduce_5x5;
  uint32_t out_5x5;
  uint32_t pooled;
};

LayerId module(GraphBuilder& g, LayerId x, const Columns& columns) {
  const LayerId direct = g.conv(x, columns.direct, {.relu = true});
  LayerId middle = g.conv(x, columns.reduce_3x3, {.relu = true});
  middle = g.conv(middle, columns.out_3x3, {.kernel = 3, .relu = true});
  LayerId wide = g.conv(x, columns.reduce_5x5, {.relu = true});
  wide = g.conv(wide, columns.out_5x5, {.kernel = 5, .relu = true});
  LayerId pooled = g.max_pool(x, {.kernel = 3, .stride = 1, .padding = Padding::kSame});
  pooled = g.conv(pooled, columns.pooled, {.relu = true});
  return g.concat({direct, middle, wide, pooled});
}

// GoogLeNet without local response norm, dropout and auxiliary classifiers.
class GoogLeNet : public convoy::Model {
  convoy::ModelInfo info() const override { return {.image_size = 224, .batch_size = 32}; }

  void build(GraphBuilder& g) override {
    const convoy::PoolOptions halve = {.kernel = 3, .stride = 2, .padding = Padding::kSame};
    LayerId x = g.conv(g.input(), 64, {.kernel = 7, .stride = 2, .relu = true});
    x = g.max_pool(x, halve);
    x = g.conv(x, 64, {.relu = true});
    x = g.conv(x, 192, {.kernel = 3, .relu = true});
    x = g.max_pool(x, halve);
    x = module(g, x, {64, 96, 128, 16, 32, 32});
    x = module(g, x, {128, 128, 192, 32, 96, 64});
    x = g.max_pool(x, halve);
    x = module(g, x, {192, 96, 208, 16, 48, 64});
    x = module(g, x, {160, 112, 224, 24, 64, 64});
    x = module(g, x, {128, 128, 256, 24, 64, 64});
    x = module(g, x, {112, 144, 288, 32, 64, 64});
    x = module(g, x, {256, 160, 320, 32, 128, 128});
    x = g.max_pool(x, halve);
    x = module(g, x, {256, 160, 320, 32, 128, 128});
    x = module(g, x, {384, 192, 384, 48, 128, 128});
    g.classify(g.average_pool(x, {.kernel = 7, .stride = 1}));
  }
};

}  // namespace

CONVOY_MODEL(GoogLeNet, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=GoogLeNet for ImageNet: nine modules of four columns.")
