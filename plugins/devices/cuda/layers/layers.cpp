#include "plugins/devices/cuda/layers/layers.hpp"

#include <convoy/abi.h>

#include <stdexcept>
#include <string>

namespace convoy::cuda {
namespace {

void nothing(ProgramBuilder&, std::size_t) {}

}  // namespace

LayerFunctions functions_of(std::uint32_t kind) {
  switch (kind) {
    case CONVOY_LAYER_INPUT:
      return {forward_input, nothing};
    case CONVOY_LAYER_CONVOLUTION:
      return {forward_convolution, backward_convolution};
    case CONVOY_LAYER_FULLY_CONNECTED:
      return {forward_fully_connected, backward_fully_connected};
    case CONVOY_LAYER_BATCH_NORM:
      return {forward_batch_norm, backward_batch_norm};
    case CONVOY_LAYER_RELU:
      return {forward_relu, backward_relu};
    case CONVOY_LAYER_MAX_POOL:
    case CONVOY_LAYER_AVERAGE_POOL:
      return {forward_pool, backward_pool};
    case CONVOY_LAYER_ADD:
      return {forward_add, backward_add};
    case CONVOY_LAYER_CONCAT:
      return {forward_concat, backward_concat};
    case CONVOY_LAYER_DROPOUT:
      return {forward_dropout, backward_dropout};
    case CONVOY_LAYER_LOCAL_RESPONSE_NORM:
      return {forward_response_norm, backward_response_norm};
    case CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY:
      return {forward_cross_entropy, backward_cross_entropy};
    case CONVOY_LAYER_MEAN_LOSS:
      return {forward_mean_loss, backward_mean_loss};
    case CONVOY_LAYER_PAD_CHANNELS:
      return {forward_pad_channels, backward_pad_channels};
    default:
      throw std::invalid_argument("cuda device: no implementation of layers of kind " +
                                  std::to_string(kind) + " yet");
  }
}

}  // namespace convoy::cuda
