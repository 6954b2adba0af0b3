#include <convoy/model.hpp>

#include "inception_convolutions.hpp"

namespace {

using convoy::GraphBuilder;
using convoy::LayerId;
using convoy::Padding;
using convoy::Size;
using inception::conv;
using inception::conv_valid;

constexpr convoy::PoolOptions kSmooth = {.kernel = 3, .stride = 1, .padding = Padding::kSame};
constexpr convoy::PoolOptions kHalve = {.kernel = 3, .stride = 2};

// Modules are written column by column; 1x7 is one row of seven.

LayerId module_a(GraphBuilder& g, LayerId x, uint32_t pooled) {
  const LayerId direct = conv(g, x, 64);
  const LayerId wide = conv(g, conv(g, x, 48), 64, 5);
  const LayerId twice = conv(g, conv(g, conv(g, x, 64), 96, 3), 96, 3);
  return g.concat({direct, wide, twice, conv(g, g.average_pool(x, kSmooth), pooled)});
}

LayerId module_b(GraphBuilder& g, LayerId x) {
  const LayerId direct = conv_valid(g, x, 384, 3, 2);
  const LayerId twice = conv_valid(g, conv(g, conv(g, x, 64), 96, 3), 96, 3, 2);
  return g.concat({direct, twice, g.max_pool(x, kHalve)});
}

LayerId module_c(GraphBuilder& g, LayerId x, uint32_t inner) {
  const Size row(1, 7);
  const Size column(7, 1);
  const LayerId direct = conv(g, x, 192);
  LayerId once = conv(g, x, inner);
  once = conv(g, conv(g, once, inner, row), 192, column);
  LayerId twice = conv(g, x, inner);
  twice = conv(g, conv(g, twice, inner, column), inner, row);
  twice = conv(g, conv(g, twice, inner, column), 192, row);
  return g.concat({direct, once, twice, conv(g, g.average_pool(x, kSmooth), 192)});
}

LayerId module_d(GraphBuilder& g, LayerId x) {
  const LayerId direct = conv_valid(g, conv(g, x, 192), 320, 3, 2);
  LayerId seven = conv(g, conv(g, x, 192), 192, {1, 7});
  seven = conv_valid(g, conv(g, seven, 192, {7, 1}), 192, 3, 2);
  return g.concat({direct, seven, g.max_pool(x, kHalve)});
}

// The last column's pool is given because the two modules of this kind differ in it.
LayerId module_e(GraphBuilder& g, LayerId x,
                 LayerId (GraphBuilder::*pool)(LayerId, const convoy::PoolOptions&)) {
  const LayerId direct = conv(g, x, 320);
  const LayerId a = conv(g, x, 384);
  const LayerId a_row = conv(g, a, 384, {1, 3});
  const LayerId a_column = conv(g, a, 384, {3, 1});
  const LayerId b = conv(g, conv(g, x, 448), 384, 3);
  const LayerId b_row = conv(g, b, 384, {1, 3});
  const LayerId b_column = conv(g, b, 384, {3, 1});
  const LayerId pooled = conv(g, (g.*pool)(x, kSmooth), 192);
  return g.concat({direct, a_row, a_column, b_row, b_column, pooled});
}

LayerId stem(GraphBuilder& g) {
  LayerId x = conv_valid(g, g.input(), 32, 3, 2);
  x = conv_valid(g, x, 32, 3);
  x = g.max_pool(conv(g, x, 64, 3), kHalve);
  x = conv_valid(g, x, 80, 1);
  return g.max_pool(conv_valid(g, x, 192, 3), kHalve);
}

// Inception-v3 without its auxiliary classifier. Batch norm has no gamma here.
class Inception3 : public convoy::Model {
  convoy::ModelInfo info() const override { return {.image_size = 299, .batch_size = 32}; }

  void build(GraphBuilder& g) override {
    LayerId x = stem(g);
    for (const uint32_t pooled : {32u, 64u, 64u}) x = module_a(g, x, pooled);
    x = module_b(g, x);
    for (const uint32_t inner : {128u, 160u, 160u, 192u}) x = module_c(g, x, inner);
    x = module_d(g, x);
    x = module_e(g, x, &GraphBuilder::average_pool);
    x = module_e(g, x, &GraphBuilder::max_pool);
    g.classify(g.average_pool(x, {.kernel = 8, .stride = 1}));
  }
};

}  // namespace

CONVOY_MODEL(Inception3, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=Inception-v3 for ImageNet: eleven modules, batch norm everywhere.")
