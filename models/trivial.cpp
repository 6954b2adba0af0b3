#include <convoy/model.hpp>

namespace {

// Almost no computation, so a step consists of input, communication and updates. The first layer
// has one unit.
class Trivial : public convoy::Model {
  convoy::ModelInfo info() const override {
    return {.image_size = CONVOY_TRIVIAL_IMAGE_SIZE,
            .batch_size = 32,
            .dataset = CONVOY_TRIVIAL_DATASET};
  }

  void build(convoy::GraphBuilder& g) override {
    const convoy::LayerId x = g.fully_connected(g.input(), 1, {.relu = true});
    g.classify(g.fully_connected(x, 4096, {.relu = true}));
  }
};

}  // namespace

CONVOY_MODEL(Trivial, "name=" CONVOY_MODEL_NAME, "version=1.0",
             "description=Three fully connected layers, for measuring everything but computation.")
