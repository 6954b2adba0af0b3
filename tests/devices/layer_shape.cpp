#include "tests/devices/layer_shape.hpp"

#include <convoy/abi.h>
#include <fmt/format.h>

#include "core/conformance/layer_builder.hpp"

namespace convoy::test {
namespace {

using conformance::convolution;
using conformance::fully_connected;
using conformance::loss;
using conformance::window_layer;

constexpr std::uint32_t kClasses = 5;

const char* kind_name(std::uint32_t kind) {
  switch (kind) {
    case CONVOY_LAYER_FULLY_CONNECTED:
      return "fully_connected";
    case CONVOY_LAYER_CONVOLUTION:
      return "convolution";
    case CONVOY_LAYER_MAX_POOL:
      return "max_pool";
    default:
      return "average_pool";
  }
}

template <std::size_t N>
std::uint32_t one_of(std::mt19937& random, const std::uint32_t (&values)[N]) {
  return values[random() % N];
}

// Of all layers, so that what is drawn is computed soon by the reference, too.
double products(const LayerShape& shape) {
  const double pixels = double(shape.side) * shape.side;
  const bool connected = shape.kind == CONVOY_LAYER_FULLY_CONNECTED;
  const bool convolves = shape.kind == CONVOY_LAYER_CONVOLUTION;
  const double window = double(shape.kernel) * shape.kernel;
  const double first = 3.0 * shape.inputs * pixels;
  const double own = double(shape.inputs) * (connected || convolves ? shape.outputs : 1) *
                     (connected ? 1 : window * pixels);
  const double last = double(kClasses) * shape.outputs * (connected ? 1 : pixels);
  return shape.batch * (first + own + last);
}

LayerShape any_shape(std::mt19937& random) {
  // Around the widths of vectors, of blocks of channels and of tiles.
  constexpr std::uint32_t kChannels[] = {
      1,  2,  3,  4,   5,   7,   8,   9,   15,  16,  17,  24,   31,   32,   33,   48,  63,
      64, 65, 96, 127, 128, 130, 192, 255, 256, 384, 512, 1000, 1024, 1088, 2048, 4096};
  constexpr std::uint32_t kKinds[] = {CONVOY_LAYER_FULLY_CONNECTED, CONVOY_LAYER_CONVOLUTION,
                                      CONVOY_LAYER_CONVOLUTION, CONVOY_LAYER_MAX_POOL,
                                      CONVOY_LAYER_AVERAGE_POOL};
  LayerShape shape;
  shape.kind = one_of(random, kKinds);
  shape.inputs = one_of(random, kChannels);
  shape.outputs = one_of(random, kChannels);
  shape.kernel = one_of(random, {1, 1, 2, 3, 3, 5, 7});
  shape.stride = one_of(random, {1, 1, 2, 3});
  shape.side = one_of(random, {1, 2, 4, 5, 7, 9, 14});
  shape.batch = one_of(random, {1, 2, 3, 5, 7, 8, 17, 33});
  if (shape.kind == CONVOY_LAYER_FULLY_CONNECTED) {
    shape.kernel = shape.stride = shape.side = 1;
  } else if (shape.kind != CONVOY_LAYER_CONVOLUTION) {
    shape.outputs = shape.inputs;
  }
  return shape;
}

}  // namespace

std::string name_of(const LayerShape& shape) {
  if (shape.kind == CONVOY_LAYER_FULLY_CONNECTED)
    return fmt::format("{}_{}_to_{}_batch_{}", kind_name(shape.kind), shape.inputs, shape.outputs,
                       shape.batch);
  return fmt::format("{}_{}_to_{}_kernel_{}_stride_{}_side_{}_batch_{}", kind_name(shape.kind),
                     shape.inputs, shape.outputs, shape.kernel, shape.stride, shape.side,
                     shape.batch);
}

LayerShape draw_shape(std::mt19937& random, double most_products) {
  LayerShape shape = any_shape(random);
  while (products(shape) > most_products) shape = any_shape(random);
  return shape;
}

graph::Graph network_of(const LayerShape& shape) {
  graph::GraphAssembler assembler("shape", shape.side, kClasses);
  const bool connected = shape.kind == CONVOY_LAYER_FULLY_CONNECTED;
  const std::uint32_t before = connected ? fully_connected(0, shape.inputs).add_to(assembler)
                                         : convolution(0, shape.inputs, 1).add_to(assembler);
  std::uint32_t layer = 0;
  if (connected)
    layer = fully_connected(before, shape.outputs).add_to(assembler);
  else if (shape.kind == CONVOY_LAYER_CONVOLUTION)
    layer = convolution(before, shape.outputs, shape.kernel, shape.stride).add_to(assembler);
  else
    layer = window_layer(shape.kind, before, shape.kernel, shape.stride, CONVOY_PADDING_SAME)
                .add_to(assembler);
  loss(fully_connected(layer, kClasses).add_to(assembler)).add_to(assembler);
  return assembler.finish();
}

}  // namespace convoy::test
