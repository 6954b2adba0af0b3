#pragma once

#include <cstddef>
#include <cstdint>

namespace convoy::cuda {

class ProgramBuilder;

// Plans one pass of a layer: its memory and its tasks.
using LayerFunction = void (*)(ProgramBuilder& builder, std::size_t node);

struct LayerFunctions {
  LayerFunction forward;
  LayerFunction backward;
};

// Throws std::invalid_argument, naming the layer, when CUDA devices do not compute this kind.
LayerFunctions functions_of(std::uint32_t kind);

void forward_input(ProgramBuilder& builder, std::size_t node);
void forward_convolution(ProgramBuilder& builder, std::size_t node);
void backward_convolution(ProgramBuilder& builder, std::size_t node);
void forward_depthwise(ProgramBuilder& builder, std::size_t node);
void backward_depthwise(ProgramBuilder& builder, std::size_t node);
void forward_fully_connected(ProgramBuilder& builder, std::size_t node);
void backward_fully_connected(ProgramBuilder& builder, std::size_t node);
void forward_batch_norm(ProgramBuilder& builder, std::size_t node);
void backward_batch_norm(ProgramBuilder& builder, std::size_t node);
void forward_relu(ProgramBuilder& builder, std::size_t node);
void backward_relu(ProgramBuilder& builder, std::size_t node);
void forward_add(ProgramBuilder& builder, std::size_t node);
void backward_add(ProgramBuilder& builder, std::size_t node);
void forward_curve(ProgramBuilder& builder, std::size_t node);
void backward_curve(ProgramBuilder& builder, std::size_t node);
void forward_multiply(ProgramBuilder& builder, std::size_t node);
void backward_multiply(ProgramBuilder& builder, std::size_t node);
void forward_scale(ProgramBuilder& builder, std::size_t node);
void backward_scale(ProgramBuilder& builder, std::size_t node);
void forward_layer_norm(ProgramBuilder& builder, std::size_t node);
void backward_layer_norm(ProgramBuilder& builder, std::size_t node);
void forward_class_token(ProgramBuilder& builder, std::size_t node);
void backward_class_token(ProgramBuilder& builder, std::size_t node);
void forward_position(ProgramBuilder& builder, std::size_t node);
void backward_position(ProgramBuilder& builder, std::size_t node);
void forward_attention(ProgramBuilder& builder, std::size_t node);
void backward_attention(ProgramBuilder& builder, std::size_t node);
void forward_upsample(ProgramBuilder& builder, std::size_t node);
void backward_upsample(ProgramBuilder& builder, std::size_t node);
void forward_dropout(ProgramBuilder& builder, std::size_t node);
void backward_dropout(ProgramBuilder& builder, std::size_t node);
void forward_concat(ProgramBuilder& builder, std::size_t node);
void backward_concat(ProgramBuilder& builder, std::size_t node);
void forward_pad_channels(ProgramBuilder& builder, std::size_t node);
void backward_pad_channels(ProgramBuilder& builder, std::size_t node);
void forward_pool(ProgramBuilder& builder, std::size_t node);
void backward_pool(ProgramBuilder& builder, std::size_t node);
void forward_response_norm(ProgramBuilder& builder, std::size_t node);
void backward_response_norm(ProgramBuilder& builder, std::size_t node);
void forward_cross_entropy(ProgramBuilder& builder, std::size_t node);
void backward_cross_entropy(ProgramBuilder& builder, std::size_t node);
void forward_mean_loss(ProgramBuilder& builder, std::size_t node);
void backward_mean_loss(ProgramBuilder& builder, std::size_t node);

}  // namespace convoy::cuda
