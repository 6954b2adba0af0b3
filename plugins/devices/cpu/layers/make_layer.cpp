#include <memory>
#include <stdexcept>
#include <string>

#include "plugins/devices/cpu/layers/batch_norm.hpp"
#include "plugins/devices/cpu/layers/convolution.hpp"
#include "plugins/devices/cpu/layers/fully_connected.hpp"
#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/layers/layers.hpp"
#include "plugins/devices/cpu/layers/pool.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

// The images: nothing to compute.
class Input : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t) override { builder.define_images(); }
  void build_backward(ProgramBuilder&, std::size_t) override {}
};

template <typename Class>
std::unique_ptr<Layer> make() {
  return std::make_unique<Class>();
}

struct Implementation {
  std::uint32_t kind;
  std::unique_ptr<Layer> (*make)();
};

constexpr Implementation kImplementations[] = {
    {CONVOY_LAYER_INPUT, make<Input>},
    {CONVOY_LAYER_CONVOLUTION, make<Convolution>},
    {CONVOY_LAYER_FULLY_CONNECTED, make<FullyConnected>},
    {CONVOY_LAYER_BATCH_NORM, make<BatchNorm>},
    {CONVOY_LAYER_RELU, make<Relu>},
    {CONVOY_LAYER_MAX_POOL, make<Pool>},
    {CONVOY_LAYER_AVERAGE_POOL, make<Pool>},
    {CONVOY_LAYER_ADD, make<Add>},
    {CONVOY_LAYER_CONCAT, make<Concat>},
    {CONVOY_LAYER_DROPOUT, make<Dropout>},
    {CONVOY_LAYER_LOCAL_RESPONSE_NORM, make<LocalResponseNorm>},
    {CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY, make<SoftmaxCrossEntropy>},
    {CONVOY_LAYER_MEAN_LOSS, make<MeanLoss>},
    {CONVOY_LAYER_PAD_CHANNELS, make<PadChannels>},
    {CONVOY_LAYER_SIGMOID, make<Curve>},
    {CONVOY_LAYER_TANH, make<Curve>},
    {CONVOY_LAYER_SILU, make<Curve>},
    {CONVOY_LAYER_GELU, make<Curve>},
    {CONVOY_LAYER_MULTIPLY, make<Multiply>},
    {CONVOY_LAYER_SCALE, make<Scale>},
    {CONVOY_LAYER_LAYER_NORM, make<LayerNorm>},
    {CONVOY_LAYER_STOCHASTIC_DEPTH, make<Dropout>},
    {CONVOY_LAYER_CLASS_TOKEN, make<ClassToken>},
    {CONVOY_LAYER_POSITION, make<Position>},
    {CONVOY_LAYER_ATTENTION, make<Attention>},
    {CONVOY_LAYER_UPSAMPLE, make<Upsample>},
};

}  // namespace

std::unique_ptr<Layer> make_layer(const convoy_layer& layer) {
  for (const Implementation& it : kImplementations)
    if (it.kind == layer.kind) return it.make();
  throw std::invalid_argument("the CPU device (SDK 1.0) does not know layer kind " +
                              std::to_string(layer.kind));
}

}  // namespace convoy::cpu
