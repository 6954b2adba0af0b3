// @NAME@: a model for convoy. It describes its layers; convoy infers shapes, parameters and
// operation counts, and runs it on every device with every strategy.

#include <convoy/model.hpp>

namespace {

// Two convolutions and one hidden layer. Layers are added in the order in which they run.
class @CLASS@ : public convoy::Model {
 public:
  convoy::ModelInfo info() const override {
    return {.image_size = 32,
            .batch_size = 64,
            .dataset = "cifar10",
            .rate = convoy::constant_rate(0.01)};
  }

  void build(convoy::GraphBuilder& graph) override {
    convoy::LayerId x = graph.input();
    for (std::uint32_t channels : {32u, 64u}) {
      // Batch norm takes images of any scale: synthetic ones are raw pixels.
      x = graph.conv(x, channels,
                     {.kernel = 5, .batch_norm = convoy::BatchNormOptions{}, .relu = true});
      x = graph.max_pool(x, {.kernel = 2, .stride = 2});
    }
    const auto width = static_cast<std::uint32_t>(std::stoul(option("width")));
    x = graph.fully_connected(x, width, {.relu = true});
    graph.classify(x);
  }
};

}  // namespace

CONVOY_MODEL(@CLASS@, "name=@NAME@", "version=0.1.0",
             "description=Two convolutions and one hidden layer for small images.",
             "option=width:int:256::Outputs of the hidden layer.")
