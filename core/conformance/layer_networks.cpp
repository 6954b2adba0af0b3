#include "core/conformance/layer_networks.hpp"

#include "core/conformance/layer_builder.hpp"

namespace convoy::conformance {
namespace {

constexpr std::uint32_t kSize = 6;
constexpr std::uint32_t kClasses = 5;

// Returns a conv 3x3 with 6 channels, the layers of body, a classifier and the loss.
graph::Graph around(const std::function<std::uint32_t(graph::GraphAssembler&, std::uint32_t)>& body,
                    std::uint32_t channels = 6) {
  graph::GraphAssembler assembler("small", kSize, kClasses);
  const std::uint32_t first = convolution(0, channels, 3).add_to(assembler);
  const std::uint32_t last = body(assembler, first);
  const std::uint32_t scores = fully_connected(last, kClasses).add_to(assembler);
  loss(scores).add_to(assembler);
  return assembler.finish();
}

LayerNetwork convolution_network(const std::string& name, std::uint32_t channels,
                                 std::uint32_t kernel, std::uint32_t stride, std::uint32_t padding,
                                 std::uint32_t before = 6, std::uint32_t groups = 1) {
  return {name, [=] {
            return around(
                [=](graph::GraphAssembler& assembler, std::uint32_t from) {
                  LayerCase layer = convolution(from, channels, kernel, stride, padding);
                  layer.layer.groups = groups;
                  return layer.add_to(assembler);
                },
                before);
          }};
}

LayerNetwork pool_network(const std::string& name, std::uint32_t kind, std::uint32_t kernel,
                          std::uint32_t stride, std::uint32_t padding, std::uint32_t before = 6) {
  return {name, [=] {
            return around(
                [=](graph::GraphAssembler& assembler, std::uint32_t from) {
                  return window_layer(kind, from, kernel, stride, padding).add_to(assembler);
                },
                before);
          }};
}

std::uint32_t batch_norm_relu(graph::GraphAssembler& assembler, std::uint32_t from, bool scaled) {
  LayerCase norm = batch_norm(from);
  if (!scaled) norm.layer.flags = 0;
  return relu(norm.add_to(assembler)).add_to(assembler);
}

graph::Graph residual_graph() {
  return around(
      [](graph::GraphAssembler& assembler, std::uint32_t from) {
        std::uint32_t x = batch_norm_relu(assembler, from, true);
        for (int block = 0; block < 2; ++block) {
          const std::uint32_t shortcut =
              block == 0 ? batch_norm(convolution(x, 8, 1).add_to(assembler)).add_to(assembler) : x;
          std::uint32_t main = convolution(x, 4, 1).add_to(assembler);
          main = batch_norm_relu(assembler, main, false);
          main = batch_norm(convolution(main, 8, 3).add_to(assembler)).add_to(assembler);
          const std::uint32_t sum = LayerCase(CONVOY_LAYER_ADD, {shortcut, main}).add_to(assembler);
          x = relu(sum).add_to(assembler);
        }
        return x;
      },
      8);
}

// Has sums without relu, so that the gradients of a whole chain of values are equal.
graph::Graph preactivation_graph() {
  return around(
      [](graph::GraphAssembler& assembler, std::uint32_t x) {
        for (int block = 0; block < 3; ++block) {
          const std::uint32_t active = batch_norm_relu(assembler, x, block % 2 == 0);
          const std::uint32_t main = convolution(active, 8, 3).add_to(assembler);
          x = LayerCase(CONVOY_LAYER_ADD, {x, main}).add_to(assembler);
        }
        return relu(x).add_to(assembler);
      },
      8);
}

graph::Graph inception_graph(std::uint32_t a, std::uint32_t b) {
  return around([=](graph::GraphAssembler& assembler, std::uint32_t from) {
    const std::uint32_t active = relu(from).add_to(assembler);
    const std::uint32_t left = relu(convolution(active, a, 1).add_to(assembler)).add_to(assembler);
    const std::uint32_t right = convolution(active, b, 3).add_to(assembler);
    const std::uint32_t pooled =
        window_layer(CONVOY_LAYER_MAX_POOL, active, 3, 1, CONVOY_PADDING_SAME).add_to(assembler);
    const std::uint32_t joined =
        LayerCase(CONVOY_LAYER_CONCAT, {left, right, pooled}).add_to(assembler);
    return relu(joined).add_to(assembler);
  });
}

graph::Graph relu_graph(double limit, bool after_pool) {
  return around([=](graph::GraphAssembler& assembler, std::uint32_t from) {
    std::uint32_t x = from;
    if (after_pool) {
      x = window_layer(CONVOY_LAYER_AVERAGE_POOL, x, 2, 1, CONVOY_PADDING_VALID).add_to(assembler);
    } else {
      x = batch_norm(x).add_to(assembler);
    }
    LayerCase layer = relu(x);
    layer.layer.limit = limit;
    return layer.add_to(assembler);
  });
}

graph::Graph response_norm_graph(std::uint32_t radius) {
  return around([=](graph::GraphAssembler& assembler, std::uint32_t from) {
    LayerCase layer(CONVOY_LAYER_LOCAL_RESPONSE_NORM, {from});
    layer.layer.radius = radius;
    layer.layer.alpha = 0.3;
    layer.layer.beta = 0.75;
    layer.layer.offset = 1.0;
    return relu(layer.add_to(assembler)).add_to(assembler);
  });
}

graph::Graph mean_loss_graph() {
  graph::GraphAssembler assembler("mean", kSize, kClasses);
  const std::uint32_t first = relu(convolution(0, 9, 3).add_to(assembler)).add_to(assembler);
  LayerCase(CONVOY_LAYER_MEAN_LOSS, {fully_connected(first, 4).add_to(assembler)})
      .add_to(assembler);
  return assembler.finish();
}

graph::Graph classifier_graph() {
  graph::GraphAssembler assembler("classifier", kSize, kClasses);
  std::uint32_t x = relu(fully_connected(0, 9).add_to(assembler)).add_to(assembler);
  LayerCase dropout(CONVOY_LAYER_DROPOUT, {x});
  dropout.layer.keep = 0.5;
  x = dropout.add_to(assembler);
  loss(fully_connected(x, kClasses).add_to(assembler)).add_to(assembler);
  return assembler.finish();
}

graph::Graph shared_input_graph() {
  return around([](graph::GraphAssembler& assembler, std::uint32_t from) {
    const std::uint32_t twice = LayerCase(CONVOY_LAYER_ADD, {from, from}).add_to(assembler);
    const std::uint32_t other = relu(convolution(from, 6, 1).add_to(assembler)).add_to(assembler);
    const std::uint32_t sum = LayerCase(CONVOY_LAYER_ADD, {twice, other}).add_to(assembler);
    return LayerCase(CONVOY_LAYER_ADD, {sum, from}).add_to(assembler);
  });
}

}  // namespace

std::vector<LayerNetwork> layer_networks() {
  return {
      convolution_network("one_by_one", 8, 1, 1, CONVOY_PADDING_SAME, 8),
      convolution_network("same_stride_two_asymmetric", 7, 4, 2, CONVOY_PADDING_SAME),
      convolution_network("valid_stride_two", 8, 3, 2, CONVOY_PADDING_VALID, 16),
      convolution_network("fixed_stride_two", 10, 3, 2, CONVOY_PADDING_FIXED, 8),
      convolution_network("odd_channels", 11, 3, 1, CONVOY_PADDING_SAME, 9),
      convolution_network("groups", 6, 3, 1, CONVOY_PADDING_SAME, 6, 3),
      convolution_network("depthwise", 8, 3, 1, CONVOY_PADDING_SAME, 8, 8),
      pool_network("max_pool_valid", CONVOY_LAYER_MAX_POOL, 3, 2, CONVOY_PADDING_VALID, 8),
      pool_network("max_pool_same", CONVOY_LAYER_MAX_POOL, 2, 2, CONVOY_PADDING_SAME),
      pool_network("average_pool_same", CONVOY_LAYER_AVERAGE_POOL, 3, 1, CONVOY_PADDING_SAME, 8),
      pool_network("average_pool_all", CONVOY_LAYER_AVERAGE_POOL, 6, 1, CONVOY_PADDING_VALID),
      {"residual", residual_graph},
      {"preactivation", preactivation_graph},
      {"concat_whole_blocks", [] { return inception_graph(8, 8); }},
      {"concat_odd_channels", [] { return inception_graph(5, 11); }},
      {"relu_six_after_batch_norm", [] { return relu_graph(0.7, false); }},
      {"relu_after_average_pool", [] { return relu_graph(0.0, true); }},
      {"response_norm_wide", [] { return response_norm_graph(2); }},
      {"response_norm_narrow", [] { return response_norm_graph(1); }},
      {"mean_loss", mean_loss_graph},
      {"fully_connected_on_images", classifier_graph},
      {"shared_input", shared_input_graph},
  };
}

std::vector<LayerNetwork> all_layer_networks() {
  std::vector<LayerNetwork> networks = layer_networks();
  for (LayerNetwork& network : model_layer_networks()) networks.push_back(std::move(network));
  for (LayerNetwork& network : modern_layer_networks()) networks.push_back(std::move(network));
  return networks;
}

}  // namespace convoy::conformance
