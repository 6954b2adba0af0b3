#include <convoy/model.hpp>

namespace {

// LeNet-5's successor: two 5x5 convolutions, on colour images of 28x28.
class LeNet : public convoy::Model {
  convoy::ModelInfo info() const override { return {.image_size = 28, .batch_size = 32}; }

  void build(convoy::GraphBuilder& g) override {
    convoy::LayerId x = g.max_pool(g.conv(g.input(), 32, {.kernel = 5, .relu = true}));
    x = g.max_pool(g.conv(x, 64, {.kernel = 5, .relu = true}));
    g.classify(g.fully_connected(x, 512, {.relu = true}));
  }
};

}  // namespace

CONVOY_MODEL(LeNet, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=LeNet-5 on 28x28 colour images, small enough for any machine.")
