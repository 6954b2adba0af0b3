#include "core/calibrate/probe_networks.hpp"

#include <convoy/graph_builder.hpp>

#include "core/graph/assembler.hpp"

namespace convoy::calibrate {
namespace {

constexpr std::uint32_t kClasses = 100;
constexpr BatchNormOptions kNorm = {.scale = true, .epsilon = 1e-5, .decay = 0.9};

template <typename Build>
ProbeNetwork network(const char* name, std::uint32_t side, std::uint32_t batch, Build build) {
  return {name,
          graph::assemble_graph(name, side, kClasses,
                                [&](const convoy_graph_builder& builder) {
                                  GraphBuilder graph(builder);
                                  build(graph);
                                }),
          batch};
}

// Large filters, few at first, and fully connected layers. The last convolution repeats the one
// with 13 x 13 pixels on 12 x 12 pixels, which shows how much devices lose at borders.
void large_filters(GraphBuilder& g) {
  LayerId x =
      g.conv(g.input(), 64, {.kernel = 11, .stride = 4, .padding = Padding::kValid, .relu = true});
  x = g.max_pool(x, {.kernel = 3, .stride = 2});
  x = g.conv(x, 192, {.kernel = 5, .relu = true});
  x = g.max_pool(x, {.kernel = 3, .stride = 2});
  x = g.conv(x, 384, {.kernel = 3, .relu = true});
  x = g.conv(x, 384, {.kernel = 3, .relu = true});
  x = g.conv(x, 256, {.kernel = 3, .relu = true});
  x = g.max_pool(x, {.kernel = 2, .stride = 1});
  x = g.conv(g.conv(x, 384, {.relu = true}), 256, {.kernel = 3, .relu = true});
  x = g.max_pool(x, {.kernel = 2, .stride = 2});
  x = g.dropout(g.fully_connected(x, 1024, {.relu = true}), 0.5);
  g.classify(x);
}

// Each width occurs twice, because longer stacks repeat the second layer.
LayerId stack(GraphBuilder& g, LayerId x, std::uint32_t channels) {
  x = g.conv(x, channels, {.kernel = 3, .relu = true});
  x = g.conv(x, channels, {.kernel = 3, .relu = true});
  return g.max_pool(x, {.kernel = 2, .stride = 2});
}

void large_images(GraphBuilder& g) {
  LayerId x = g.input();
  for (const std::uint32_t channels : {64u, 128u, 256u}) x = stack(g, x, channels);
  g.classify(g.global_average_pool(x));
}

// Layers with many weights. They are apart from the large images, because they need more than one
// image.
void small_images(GraphBuilder& g) {
  LayerId x = stack(g, g.conv(g.input(), 256, {.relu = true}), 512);
  x = g.conv(x, 512, {.kernel = 3, .relu = true});
  g.classify(g.global_average_pool(x));
}

LayerId bottleneck(GraphBuilder& g, LayerId x, std::uint32_t width, std::uint32_t stride) {
  const LayerId shortcut =
      g.shape(x).channels == width ? x : g.conv(x, width, {.stride = stride, .batch_norm = kNorm});
  LayerId y = g.conv(x, width / 4, {.stride = stride, .batch_norm = kNorm, .relu = true});
  y = g.conv(y, width / 4, {.kernel = 3, .batch_norm = kNorm, .relu = true});
  return g.relu(g.add(shortcut, g.conv(y, width, {.batch_norm = kNorm})));
}

// Every width has one block with a projection and one without.
void bottlenecks(GraphBuilder& g) {
  LayerId x = g.conv(
      g.input(), 64,
      {.kernel = 7, .stride = 2, .padding = Padding::kFixed, .batch_norm = kNorm, .relu = true});
  x = g.max_pool(x, {.kernel = 3, .stride = 2, .padding = Padding::kSame});
  for (const std::uint32_t width : {256u, 512u, 1024u, 2048u}) {
    x = bottleneck(g, x, width, width == 256 ? 1 : 2);
    x = bottleneck(g, x, width, 1);
  }
  g.classify(g.global_average_pool(x));
}

LayerId normalized(GraphBuilder& g, LayerId x, std::uint32_t channels, Size kernel) {
  return g.conv(x, channels, {.kernel = kernel, .batch_norm = kNorm, .relu = true});
}

// Filters of several sizes side by side, long ones, and one per channel.
void branches(GraphBuilder& g) {
  constexpr PoolOptions kAround = {.kernel = 3, .stride = 1, .padding = Padding::kSame};
  LayerId x = g.conv(
      g.input(), 32,
      {.kernel = 3, .stride = 2, .padding = Padding::kValid, .batch_norm = kNorm, .relu = true});
  x = normalized(g, x, 64, 3);
  x = g.concat({normalized(g, x, 64, 1), normalized(g, normalized(g, x, 48, 1), 64, 5),
                normalized(g, normalized(g, normalized(g, x, 64, 1), 96, 3), 96, 3),
                normalized(g, g.average_pool(x, kAround), 32, 1)});
  x = g.max_pool(x, {.kernel = 3, .stride = 2});
  x = g.concat({normalized(g, x, 192, 1),
                normalized(g, normalized(g, normalized(g, x, 128, 1), 128, {1, 7}), 192, {7, 1}),
                normalized(g, g.max_pool(x, kAround), 128, 1)});
  const std::uint32_t channels = g.shape(x).channels;
  x = g.conv(x, channels, {.kernel = 3, .groups = channels, .batch_norm = kNorm, .relu = true});
  g.classify(g.global_average_pool(x));
}

void fully_connected_layers(GraphBuilder& g) {
  const LayerId x = g.fully_connected(g.input(), 2048, {.relu = true});
  g.classify(g.fully_connected(x, 1024, {.relu = true}));
}

void few_layers(GraphBuilder& g) {
  LayerId x = g.conv(g.input(), 32, {.kernel = 3, .batch_norm = kNorm, .relu = true});
  x = g.max_pool(x, {.kernel = 2, .stride = 2});
  x = g.conv(x, 32, {.kernel = 3, .relu = true});
  g.classify(g.fully_connected(g.conv(x, 64), 64, {.relu = true}));
}

void mixed_layers(GraphBuilder& g) {
  LayerId x = g.conv(g.input(), 48, {.kernel = 5, .stride = 2, .batch_norm = kNorm, .relu = true});
  x = g.max_pool(normalized(g, x, 96, 3), {.kernel = 2, .stride = 2});
  x = g.conv(bottleneck(g, x, 192, 1), 160, {.kernel = 3, .stride = 2, .relu = true});
  x = g.max_pool(x, {.kernel = 3, .stride = 2});
  g.classify(g.fully_connected(x, 512, {.relu = true}));
}

}  // namespace

std::vector<ProbeNetwork> probe_networks() {
  std::vector<ProbeNetwork> networks;
  networks.push_back(network("residual bottlenecks", 224, 2, bottlenecks));
  networks.push_back(network("3x3 convolutions of large images", 160, 1, large_images));
  networks.push_back(network("large filters", 227, 4, large_filters));
  networks.push_back(network("3x3 convolutions of small images", 20, 2, small_images));
  networks.push_back(network("parallel branches", 71, 4, branches));
  networks.push_back(network("fully connected", 32, 16, fully_connected_layers));
  return networks;
}

std::vector<ProbeNetwork> quick_probe_networks() {
  std::vector<ProbeNetwork> networks;
  networks.push_back(network("a few small layers", 32, 2, few_layers));
  return networks;
}

ProbeNetwork check_network() {
  return network("mixed layers", 96, 4, mixed_layers);
}

ProbeNetwork quick_check_network() {
  return network("a few small layers", 48, 2, few_layers);
}

}  // namespace convoy::calibrate
