#include "plugins/devices/cpu/layers/make_layer.hpp"

#include <stdexcept>
#include <string>

#include "plugins/devices/cpu/layers/add.hpp"
#include "plugins/devices/cpu/layers/batch_norm.hpp"
#include "plugins/devices/cpu/layers/concat.hpp"
#include "plugins/devices/cpu/layers/convolution.hpp"
#include "plugins/devices/cpu/layers/dropout.hpp"
#include "plugins/devices/cpu/layers/fully_connected.hpp"
#include "plugins/devices/cpu/layers/local_response_norm.hpp"
#include "plugins/devices/cpu/layers/mean_loss.hpp"
#include "plugins/devices/cpu/layers/pad_channels.hpp"
#include "plugins/devices/cpu/layers/pool.hpp"
#include "plugins/devices/cpu/layers/relu.hpp"
#include "plugins/devices/cpu/layers/softmax_cross_entropy.hpp"
#include "plugins/devices/cpu/program_builder.hpp"

namespace convoy::cpu {
namespace {

// The images: nothing to compute.
class Input : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t) override { builder.define_images(); }
  void build_backward(ProgramBuilder&, std::size_t) override {}
};

}  // namespace

std::unique_ptr<Layer> make_layer(const convoy_layer& layer) {
  switch (layer.kind) {
    case CONVOY_LAYER_INPUT:
      return std::make_unique<Input>();
    case CONVOY_LAYER_CONVOLUTION:
      return std::make_unique<Convolution>();
    case CONVOY_LAYER_FULLY_CONNECTED:
      return std::make_unique<FullyConnected>();
    case CONVOY_LAYER_BATCH_NORM:
      return std::make_unique<BatchNorm>();
    case CONVOY_LAYER_RELU:
      return std::make_unique<Relu>();
    case CONVOY_LAYER_MAX_POOL:
    case CONVOY_LAYER_AVERAGE_POOL:
      return std::make_unique<Pool>();
    case CONVOY_LAYER_ADD:
      return std::make_unique<Add>();
    case CONVOY_LAYER_CONCAT:
      return std::make_unique<Concat>();
    case CONVOY_LAYER_DROPOUT:
      return std::make_unique<Dropout>();
    case CONVOY_LAYER_LOCAL_RESPONSE_NORM:
      return std::make_unique<LocalResponseNorm>();
    case CONVOY_LAYER_PAD_CHANNELS:
      return std::make_unique<PadChannels>();
    case CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY:
      return std::make_unique<SoftmaxCrossEntropy>();
    case CONVOY_LAYER_MEAN_LOSS:
      return std::make_unique<MeanLoss>();
    default:
      throw std::invalid_argument("the CPU device (SDK 1.0) does not know layer kind " +
                                  std::to_string(layer.kind));
  }
}

}  // namespace convoy::cpu
