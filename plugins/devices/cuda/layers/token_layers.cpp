#include <stdexcept>
#include <string>

#include "plugins/devices/cuda/kernels/tokens.hpp"
#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"

namespace convoy::cuda {
namespace {

TokenShape token_shape(const ProgramBuilder& builder, std::size_t node) {
  return {builder.type(), builder.batch(), builder.cells(node) - 1, builder.shape(node).channels};
}

// Positions are stored like activations: cells with consecutive channels.
std::uint64_t first_position(const ProgramBuilder& builder, std::size_t node) {
  const VariablePlace place = *builder.variable(node, 0);
  const convoy_layout& layout = place.variable->layout;
  if (layout.inner_blocks == 0 && layout.strides[1] == 1 &&
      layout.strides[0] == place.variable->dimensions[1])
    return place.first;
  throw std::invalid_argument(std::string("cuda device: no implementation of this storage of "
                                          "positions yet, as variable ") +
                              place.variable->name + " has it");
}

UpsampleShape upsample_shape(const ProgramBuilder& builder, std::size_t node) {
  const convoy_node& in = builder.shape(builder.node(node).inputs[0]);
  const convoy_layer& layer = builder.layer(node);
  return {builder.type(),     builder.batch(),
          in.channels,        in.height,
          in.width,           layer.stride_height,
          layer.stride_width, (layer.flags & CONVOY_LAYER_INTERPOLATED) != 0};
}

}  // namespace

void forward_class_token(ProgramBuilder& builder, std::size_t node) {
  const MemoryPlan::Id read = builder.read(builder.node(node).inputs[0]);
  builder.then([=, shape = token_shape(builder, node), write = builder.define(node),
                token = builder.variable(node, 0)->first](const Run& run) {
    put_token(run.stream, shape, run.at(write), run.at(read), run.parameter(token));
  });
}

void backward_class_token(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.node(node).inputs[0];
  const TokenShape shape = token_shape(builder, node);
  const MemoryPlan::Id gradient = builder.gradient(node);
  builder.part(CONVOY_PASS_BACKWARD_WEIGHTS);
  builder.then([=, token = builder.variable(node, 0)->first](const Run& run) {
    sum_images(run.stream, shape.type, run.gradient(token), run.at(gradient), shape.images,
               (shape.cells + 1) * shape.channels, shape.channels);
  });
  if (!builder.needs_gradient(input)) return;
  builder.part(CONVOY_PASS_BACKWARD_DATA);
  const GradientPart part = builder.begin_gradient(input);
  builder.then([=](const Run& run) {
    drop_token(run.stream, shape, run.at(part.id), run.at(gradient), part.adds);
  });
}

void forward_position(ProgramBuilder& builder, std::size_t node) {
  const MemoryPlan::Id read = builder.read(builder.node(node).inputs[0]);
  builder.then([=, write = builder.define(node), type = builder.type(), images = builder.batch(),
                first = first_position(builder, node),
                elements = builder.elements(node) / builder.batch()](const Run& run) {
    add_positions(run.stream, type, run.at(write), run.at(read), run.parameter(first), images,
                  elements);
  });
}

void backward_position(ProgramBuilder& builder, std::size_t node) {
  const MemoryPlan::Id gradient = builder.gradient(node);
  builder.part(CONVOY_PASS_BACKWARD_WEIGHTS);
  builder.then([=, type = builder.type(), images = builder.batch(),
                first = first_position(builder, node),
                elements = builder.elements(node) / builder.batch()](const Run& run) {
    sum_images(run.stream, type, run.gradient(first), run.at(gradient), images, elements, elements);
  });
  builder.part(CONVOY_PASS_BACKWARD_DATA);
  builder.pass_gradient(builder.node(node).inputs, node);
}

void forward_upsample(ProgramBuilder& builder, std::size_t node) {
  const MemoryPlan::Id read = builder.read(builder.node(node).inputs[0]);
  builder.then([=, shape = upsample_shape(builder, node), write = builder.define(node)](
                   const Run& run) { upsample(run.stream, shape, run.at(write), run.at(read)); });
}

void backward_upsample(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.node(node).inputs[0];
  if (!builder.needs_gradient(input)) return;
  const MemoryPlan::Id gradient = builder.gradient(node);
  const GradientPart part = builder.begin_gradient(input);
  builder.then([=, shape = upsample_shape(builder, node)](const Run& run) {
    upsample_backward(run.stream, shape, run.at(part.id), run.at(gradient), part.adds);
  });
}

}  // namespace convoy::cuda
