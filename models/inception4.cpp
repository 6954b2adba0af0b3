#include <convoy/model.hpp>

#include "inception_convolutions.hpp"

namespace {

using convoy::GraphBuilder;
using convoy::LayerId;
using convoy::Padding;
using convoy::Size;
using inception::conv;
using inception::conv_valid;

constexpr convoy::PoolOptions kHalve = {.kernel = 3, .stride = 2};
constexpr Size kRow(1, 7);
constexpr Size kColumn(7, 1);

// The first column of modules a, b and c.
LayerId smooth(GraphBuilder& g, LayerId x, uint32_t channels) {
  const LayerId pooled = g.average_pool(x, {.kernel = 3, .stride = 1, .padding = Padding::kSame});
  return conv(g, pooled, channels);
}

// Everything is written column by column; 1x7 is one row of seven.

LayerId stem(GraphBuilder& g) {
  LayerId x = conv_valid(g, g.input(), 32, 3, 2);
  x = conv(g, conv_valid(g, x, 32, 3), 64, 3);
  const LayerId pooled = g.max_pool(x, kHalve);
  x = g.concat({pooled, conv_valid(g, x, 96, 3, 2)});
  const LayerId direct = conv_valid(g, conv(g, x, 64), 96, 3);
  LayerId seven = conv(g, conv(g, x, 64), 64, kColumn);
  seven = conv_valid(g, conv(g, seven, 64, kRow), 96, 3);
  x = g.concat({direct, seven});
  const LayerId halved = conv_valid(g, x, 192, 3, 2);
  return g.concat({halved, g.max_pool(x, kHalve)});
}

LayerId module_a(GraphBuilder& g, LayerId x) {
  const LayerId pooled = smooth(g, x, 96);
  const LayerId direct = conv(g, x, 96);
  const LayerId once = conv(g, conv(g, x, 64), 96, 3);
  const LayerId twice = conv(g, conv(g, conv(g, x, 64), 96, 3), 96, 3);
  return g.concat({pooled, direct, once, twice});
}

LayerId reduction_a(GraphBuilder& g, LayerId x) {
  const LayerId pooled = g.max_pool(x, kHalve);
  const LayerId direct = conv_valid(g, x, 384, 3, 2);
  const LayerId twice = conv_valid(g, conv(g, conv(g, x, 192), 224, 3), 256, 3, 2);
  return g.concat({pooled, direct, twice});
}

LayerId module_b(GraphBuilder& g, LayerId x) {
  const LayerId pooled = smooth(g, x, 128);
  const LayerId direct = conv(g, x, 384);
  const LayerId once = conv(g, conv(g, conv(g, x, 192), 224, kRow), 256, kColumn);
  LayerId twice = conv(g, conv(g, conv(g, x, 192), 192, kRow), 224, kColumn);
  twice = conv(g, conv(g, twice, 224, kRow), 256, kColumn);
  return g.concat({pooled, direct, once, twice});
}

LayerId reduction_b(GraphBuilder& g, LayerId x) {
  const LayerId pooled = g.max_pool(x, kHalve);
  const LayerId direct = conv_valid(g, conv(g, x, 192), 192, 3, 2);
  LayerId seven = conv(g, conv(g, conv(g, x, 256), 256, kRow), 320, kColumn);
  seven = conv_valid(g, seven, 320, 3, 2);
  return g.concat({pooled, direct, seven});
}

LayerId module_c(GraphBuilder& g, LayerId x) {
  const LayerId pooled = smooth(g, x, 256);
  const LayerId direct = conv(g, x, 256);
  const LayerId a = conv(g, x, 384);
  const LayerId a_row = conv(g, a, 256, {1, 3});
  const LayerId a_column = conv(g, a, 256, {3, 1});
  const LayerId b = conv(g, conv(g, conv(g, x, 384), 448, {1, 3}), 512, {3, 1});
  const LayerId b_column = conv(g, b, 256, {3, 1});
  const LayerId b_row = conv(g, b, 256, {1, 3});
  return g.concat({pooled, direct, a_row, a_column, b_column, b_row});
}

// Inception-v4. Batch norm has no gamma here.
class Inception4 : public convoy::Model {
  convoy::ModelInfo info() const override { return {.image_size = 299, .batch_size = 32}; }

  void build(GraphBuilder& g) override {
    LayerId x = stem(g);
    for (int i = 0; i < 4; ++i) x = module_a(g, x);
    x = reduction_a(g, x);
    for (int i = 0; i < 7; ++i) x = module_b(g, x);
    x = reduction_b(g, x);
    for (int i = 0; i < 3; ++i) x = module_c(g, x);
    g.classify(g.dropout(g.global_average_pool(x), 0.8));
  }
};

}  // namespace

CONVOY_MODEL(Inception4, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=Inception-v4 for ImageNet: seventeen modules, batch norm everywhere.")
