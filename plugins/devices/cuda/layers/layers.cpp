#include "plugins/devices/cuda/layers/layers.hpp"

#include <convoy/abi.h>

#include <stdexcept>
#include <string>

namespace convoy::cuda {
namespace {

void nothing(ProgramBuilder&, std::size_t) {}

struct Implementation {
  std::uint32_t kind;
  LayerFunctions functions;
};

constexpr Implementation kImplementations[] = {
    {CONVOY_LAYER_INPUT, {forward_input, nothing}},
    {CONVOY_LAYER_CONVOLUTION, {forward_convolution, backward_convolution}},
    {CONVOY_LAYER_FULLY_CONNECTED, {forward_fully_connected, backward_fully_connected}},
    {CONVOY_LAYER_BATCH_NORM, {forward_batch_norm, backward_batch_norm}},
    {CONVOY_LAYER_RELU, {forward_relu, backward_relu}},
    {CONVOY_LAYER_MAX_POOL, {forward_pool, backward_pool}},
    {CONVOY_LAYER_AVERAGE_POOL, {forward_pool, backward_pool}},
    {CONVOY_LAYER_ADD, {forward_add, backward_add}},
    {CONVOY_LAYER_CONCAT, {forward_concat, backward_concat}},
    {CONVOY_LAYER_DROPOUT, {forward_dropout, backward_dropout}},
    {CONVOY_LAYER_LOCAL_RESPONSE_NORM, {forward_response_norm, backward_response_norm}},
    {CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY, {forward_cross_entropy, backward_cross_entropy}},
    {CONVOY_LAYER_MEAN_LOSS, {forward_mean_loss, backward_mean_loss}},
    {CONVOY_LAYER_PAD_CHANNELS, {forward_pad_channels, backward_pad_channels}},
    {CONVOY_LAYER_SIGMOID, {forward_curve, backward_curve}},
    {CONVOY_LAYER_TANH, {forward_curve, backward_curve}},
    {CONVOY_LAYER_SILU, {forward_curve, backward_curve}},
    {CONVOY_LAYER_GELU, {forward_curve, backward_curve}},
    {CONVOY_LAYER_MULTIPLY, {forward_multiply, backward_multiply}},
    {CONVOY_LAYER_SCALE, {forward_scale, backward_scale}},
    {CONVOY_LAYER_LAYER_NORM, {forward_layer_norm, backward_layer_norm}},
    {CONVOY_LAYER_STOCHASTIC_DEPTH, {forward_dropout, backward_dropout}},
    {CONVOY_LAYER_CLASS_TOKEN, {forward_class_token, backward_class_token}},
    {CONVOY_LAYER_POSITION, {forward_position, backward_position}},
    {CONVOY_LAYER_ATTENTION, {forward_attention, backward_attention}},
    {CONVOY_LAYER_UPSAMPLE, {forward_upsample, backward_upsample}},
};

}  // namespace

LayerFunctions functions_of(std::uint32_t kind) {
  for (const Implementation& it : kImplementations)
    if (it.kind == kind) return it.functions;
  throw std::invalid_argument("cuda device: no implementation of layers of kind " +
                              std::to_string(kind) + " yet");
}

}  // namespace convoy::cuda
