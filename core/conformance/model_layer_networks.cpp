// Combinations of layers from published models, at sizes where all dimensions are odd.
#include "core/conformance/layer_builder.hpp"
#include "core/conformance/layer_networks.hpp"

namespace convoy::conformance {
namespace {

constexpr std::uint32_t kModelCaseClasses = 5;
constexpr std::uint32_t kSame = CONVOY_PADDING_SAME;

using Body = std::function<std::uint32_t(graph::GraphAssembler&, std::uint32_t)>;

// Has images of a given size, a conv 3x3 with some channels, the layers of body, a classifier and
// the loss.
LayerNetwork network(const std::string& name, std::uint32_t size, std::uint32_t channels,
                     const Body& body) {
  return {name, [=] {
            graph::GraphAssembler assembler("small", size, kModelCaseClasses);
            const std::uint32_t first = convolution(0, channels, 3).add_to(assembler);
            const std::uint32_t last = body(assembler, first);
            loss(fully_connected(last, kModelCaseClasses).add_to(assembler)).add_to(assembler);
            return assembler.finish();
          }};
}

std::uint32_t grouped(graph::GraphAssembler& assembler, std::uint32_t from, std::uint32_t channels,
                      std::uint32_t groups, std::uint32_t stride, std::uint32_t padding,
                      bool bias = true) {
  LayerCase layer = convolution(from, channels, 3, stride, padding);
  layer.layer.groups = groups;
  if (!bias) layer.layer.flags = 0;
  return layer.add_to(assembler);
}

std::uint32_t norm_relu(graph::GraphAssembler& assembler, std::uint32_t from, double limit) {
  LayerCase layer = relu(batch_norm(from).add_to(assembler));
  layer.layer.limit = limit;
  return layer.add_to(assembler);
}

std::uint32_t pad_channels(graph::GraphAssembler& assembler, std::uint32_t from,
                           std::uint32_t channels) {
  LayerCase layer(CONVOY_LAYER_PAD_CHANNELS, {from});
  layer.layer.channels = channels;
  return layer.add_to(assembler);
}

LayerNetwork grouped_network(const std::string& name, std::uint32_t size, std::uint32_t inputs,
                             std::uint32_t outputs, std::uint32_t groups, std::uint32_t stride,
                             std::uint32_t padding) {
  return network(name, size, inputs, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    return grouped(assembler, x, outputs, groups, stride, padding);
  });
}

// Has an expansion, a depthwise convolution with a bounded relu, a projection, and a sum around
// them.
LayerNetwork inverted_residual(const std::string& name, std::uint32_t channels,
                               std::uint32_t expanded) {
  return network(name, 7, channels, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    LayerCase expansion = convolution(x, expanded, 1);
    expansion.layer.flags = 0;
    std::uint32_t y = norm_relu(assembler, expansion.add_to(assembler), 0.9);
    y = norm_relu(assembler, grouped(assembler, y, expanded, expanded, 1, kSame, false), 0.9);
    y = batch_norm(convolution(y, channels, 1).add_to(assembler)).add_to(assembler);
    return LayerCase(CONVOY_LAYER_ADD, {x, y}).add_to(assembler);
  });
}

std::uint32_t bounded(graph::GraphAssembler& assembler, std::uint32_t from, double limit) {
  LayerCase layer = relu(from);
  layer.layer.limit = limit;
  return layer.add_to(assembler);
}

// Has residual blocks that end in a batch norm, a sum and a relu. The sum's other operand has
// readers of its own, is a batch norm too, or is the input of the batch norm.
LayerNetwork norm_and_sum(const std::string& name, std::uint32_t channels, double limit) {
  return network(name, 7, channels, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    x = relu(x).add_to(assembler);
    const std::uint32_t left =
        batch_norm(convolution(x, channels, 1).add_to(assembler)).add_to(assembler);
    std::uint32_t y = norm_relu(assembler, convolution(x, channels, 3).add_to(assembler), 0);
    y = batch_norm(convolution(y, channels, 3).add_to(assembler)).add_to(assembler);
    x = bounded(assembler, LayerCase(CONVOY_LAYER_ADD, {left, y}).add_to(assembler), limit);
    y = batch_norm(convolution(x, channels, 3).add_to(assembler)).add_to(assembler);
    x = bounded(assembler, LayerCase(CONVOY_LAYER_ADD, {y, x}).add_to(assembler), limit);
    y = batch_norm(x).add_to(assembler);
    return LayerCase(CONVOY_LAYER_ADD, {x, y}).add_to(assembler);
  });
}

// The same directly after the images, which are not stored in blocks of channels.
LayerNetwork norm_of_images(const std::string& name, double limit) {
  return {name, [=] {
            graph::GraphAssembler assembler("small", 6, kModelCaseClasses);
            const std::uint32_t left = norm_relu(assembler, 0, limit);
            const std::uint32_t right = batch_norm(left).add_to(assembler);
            const std::uint32_t sum = LayerCase(CONVOY_LAYER_ADD, {left, right}).add_to(assembler);
            const std::uint32_t active = bounded(assembler, sum, limit);
            const std::uint32_t twice =
                LayerCase(CONVOY_LAYER_ADD, {active, batch_norm(active).add_to(assembler)})
                    .add_to(assembler);
            loss(fully_connected(twice, kModelCaseClasses).add_to(assembler)).add_to(assembler);
            return assembler.finish();
          }};
}

// Has batch norms in front of convolutions, so that both a batch norm and the next sum read each
// sum.
LayerNetwork norm_first(const std::string& name, std::uint32_t channels) {
  return network(name, 7, channels, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    for (int block = 0; block < 2; ++block) {
      const std::uint32_t active = norm_relu(assembler, x, 0);
      const std::uint32_t y = convolution(active, channels, 3).add_to(assembler);
      x = LayerCase(CONVOY_LAYER_ADD, {x, y}).add_to(assembler);
    }
    return norm_relu(assembler, x, 0);
  });
}

// Has a shortcut around a strided convolution that drops every other cell and pads the channels.
LayerNetwork padded_shortcut(const std::string& name, std::uint32_t size, std::uint32_t channels,
                             std::uint32_t wider) {
  return network(name, size, channels, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    const std::uint32_t thinned =
        window_layer(CONVOY_LAYER_AVERAGE_POOL, x, 1, 2, CONVOY_PADDING_VALID).add_to(assembler);
    const std::uint32_t shortcut = pad_channels(assembler, thinned, wider);
    std::uint32_t main = norm_relu(assembler, convolution(x, wider, 3, 2).add_to(assembler), 0);
    main = batch_norm(convolution(main, wider, 3).add_to(assembler)).add_to(assembler);
    const std::uint32_t sum = LayerCase(CONVOY_LAYER_ADD, {shortcut, main}).add_to(assembler);
    return relu(sum).add_to(assembler);
  });
}

// Every layer reads all layers before it. Then a transition with a relu and an average pool
// follows.
LayerNetwork dense_block(const std::string& name, std::uint32_t channels, std::uint32_t growth) {
  return network(name, 7, channels, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    for (int layer = 0; layer < 3; ++layer) {
      const std::uint32_t active = norm_relu(assembler, x, 0);
      const std::uint32_t grown = convolution(active, growth, 3).add_to(assembler);
      x = LayerCase(CONVOY_LAYER_CONCAT, {x, grown}).add_to(assembler);
    }
    x = convolution(norm_relu(assembler, x, 0), 2 * growth, 1).add_to(assembler);
    x = relu(x).add_to(assembler);
    return window_layer(CONVOY_LAYER_AVERAGE_POOL, x, 2, 2, CONVOY_PADDING_VALID).add_to(assembler);
  });
}

LayerNetwork rectangle(const std::string& name, std::uint32_t height, std::uint32_t width,
                       std::uint32_t stride) {
  return network(name, 7, 9, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    LayerCase layer = convolution(x, 11, height, stride);
    layer.layer.kernel_width = width;
    return layer.add_to(assembler);
  });
}

LayerNetwork pool(const std::string& name, std::uint32_t kind, std::uint32_t size,
                  std::uint32_t kernel, std::uint32_t stride, std::uint32_t padding) {
  return network(name, size, 9, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    return window_layer(kind, x, kernel, stride, padding).add_to(assembler);
  });
}

LayerNetwork response_norm(const std::string& name, std::uint32_t channels, std::uint32_t radius,
                           double alpha) {
  return network(name, 7, channels, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    LayerCase layer(CONVOY_LAYER_LOCAL_RESPONSE_NORM, {relu(x).add_to(assembler)});
    layer.layer.radius = radius;
    layer.layer.alpha = alpha;
    layer.layer.beta = 0.75;
    layer.layer.offset = 1.0;
    return layer.add_to(assembler);
  });
}

}  // namespace

std::vector<LayerNetwork> model_layer_networks() {
  return {
      grouped_network("groups_whole_blocks", 7, 16, 32, 2, 1, kSame),
      grouped_network("groups_same_stride_two", 6, 12, 20, 4, 2, kSame),
      grouped_network("groups_valid", 7, 9, 15, 3, 1, CONVOY_PADDING_VALID),
      grouped_network("depthwise_same_stride_two_even", 6, 16, 16, 16, 2, kSame),
      grouped_network("depthwise_same_stride_two_odd", 7, 11, 11, 11, 2, kSame),
      grouped_network("depthwise_fixed_stride_two", 7, 24, 24, 24, 2, CONVOY_PADDING_FIXED),
      grouped_network("depthwise_two_filters", 5, 10, 20, 10, 1, kSame),
      inverted_residual("inverted_residual_whole_blocks", 8, 16),
      inverted_residual("inverted_residual_odd_channels", 9, 21),
      norm_and_sum("norm_and_sum_whole_blocks", 8, 0.0),
      norm_and_sum("norm_and_sum_bounded_odd_channels", 5, 0.8),
      norm_of_images("norm_of_images", 0.0),
      norm_of_images("norm_of_images_bounded", 0.8),
      norm_first("norm_first_whole_blocks", 8),
      norm_first("norm_first_odd_channels", 7),
      padded_shortcut("padded_shortcut_whole_blocks", 8, 16, 32),
      padded_shortcut("padded_shortcut_half_blocks", 8, 8, 16),
      padded_shortcut("padded_shortcut_odd", 7, 5, 12),
      dense_block("dense_block_whole_blocks", 16, 8),
      dense_block("dense_block_odd_channels", 10, 5),
      rectangle("kernel_one_by_seven", 1, 7, 1),
      rectangle("kernel_seven_by_one_stride_two", 7, 1, 2),
      pool("max_pool_same_even", CONVOY_LAYER_MAX_POOL, 6, 3, 2, kSame),
      pool("max_pool_same_odd", CONVOY_LAYER_MAX_POOL, 7, 3, 2, kSame),
      pool("average_pool_same_stride_two", CONVOY_LAYER_AVERAGE_POOL, 6, 3, 2, kSame),
      pool("average_pool_one_cell", CONVOY_LAYER_AVERAGE_POOL, 7, 1, 2, CONVOY_PADDING_VALID),
      response_norm("response_norm_radius_four", 16, 4, 0.001 / 9),
      response_norm("response_norm_few_channels", 5, 4, 0.4),
  };
}

}  // namespace convoy::conformance
