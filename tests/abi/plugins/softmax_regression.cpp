// A model of two fully connected layers.
#include <convoy/model.hpp>

namespace {

class SoftmaxRegression : public convoy::Model {
 public:
  convoy::ModelInfo info() const override {
    return {.image_size = 8,
            .batch_size = 4,
            .dataset = "cifar10",
            .rate = convoy::constant_rate(0.125)};
  }
  void build(convoy::GraphBuilder& g) override { g.classify(g.fully_connected(g.input(), 6)); }
};

}  // namespace

CONVOY_MODEL(SoftmaxRegression, "name=softmax_regression", "version=0.1.0",
             "description=Two fully connected layers.")
