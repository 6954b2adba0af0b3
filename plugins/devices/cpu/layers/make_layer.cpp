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

// Whether a layer's results may have values that its inputs do not have. Losses are in f32 anyway.
enum Values : bool { kSame, kNew };

struct Implementation {
  std::uint32_t kind;
  std::unique_ptr<Layer> (*make)();
  Values values;
};

constexpr Implementation kImplementations[] = {
    {CONVOY_LAYER_INPUT, make<Input>, kSame},
    {CONVOY_LAYER_CONVOLUTION, make<Convolution>, kNew},
    {CONVOY_LAYER_FULLY_CONNECTED, make<FullyConnected>, kNew},
    {CONVOY_LAYER_BATCH_NORM, make<BatchNorm>, kNew},
    {CONVOY_LAYER_RELU, make<Relu>, kSame},
    {CONVOY_LAYER_MAX_POOL, make<Pool>, kSame},
    {CONVOY_LAYER_AVERAGE_POOL, make<Pool>, kNew},
    {CONVOY_LAYER_ADD, make<Add>, kNew},
    {CONVOY_LAYER_CONCAT, make<Concat>, kSame},
    {CONVOY_LAYER_DROPOUT, make<Dropout>, kNew},
    {CONVOY_LAYER_LOCAL_RESPONSE_NORM, make<LocalResponseNorm>, kNew},
    {CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY, make<SoftmaxCrossEntropy>, kSame},
    {CONVOY_LAYER_MEAN_LOSS, make<MeanLoss>, kSame},
    {CONVOY_LAYER_PAD_CHANNELS, make<PadChannels>, kSame},
    {CONVOY_LAYER_SIGMOID, make<Curve>, kNew},
    {CONVOY_LAYER_TANH, make<Curve>, kNew},
    {CONVOY_LAYER_SILU, make<Curve>, kNew},
    {CONVOY_LAYER_GELU, make<Curve>, kNew},
    {CONVOY_LAYER_MULTIPLY, make<Multiply>, kNew},
    {CONVOY_LAYER_SCALE, make<Scale>, kNew},
    {CONVOY_LAYER_LAYER_NORM, make<LayerNorm>, kNew},
    {CONVOY_LAYER_STOCHASTIC_DEPTH, make<Dropout>, kNew},
    {CONVOY_LAYER_CLASS_TOKEN, make<ClassToken>, kNew},
    {CONVOY_LAYER_POSITION, make<Position>, kNew},
    {CONVOY_LAYER_ATTENTION, make<Attention>, kNew},
    {CONVOY_LAYER_UPSAMPLE, make<Upsample>, kNew},
};

const Implementation& implementation_of(std::uint32_t kind) {
  for (const Implementation& it : kImplementations)
    if (it.kind == kind) return it;
  throw std::invalid_argument("the CPU device (SDK 1.0) does not know layer kind " +
                              std::to_string(kind));
}

}  // namespace

std::unique_ptr<Layer> make_layer(const convoy_layer& layer) {
  return implementation_of(layer.kind).make();
}

bool makes_new_values(const convoy_layer& layer) {
  return implementation_of(layer.kind).values == kNew;
}

}  // namespace convoy::cpu
