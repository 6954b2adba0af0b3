#include "core/calibrate/probe_networks.hpp"

#include <convoy/graph_builder.hpp>

#include "core/graph/assembler.hpp"

namespace convoy::calibrate {
namespace {

constexpr std::uint32_t kClasses = 1001;
constexpr BatchNormOptions kNorm = {.scale = true, .epsilon = 1e-5, .decay = 0.9};

template <typename Build>
ProbeNetwork network(const char* name, std::uint32_t side, std::uint32_t batch, Build build) {
  return {name,
          assemble_graph(name, side, kClasses,
                         [&](const convoy_graph_builder& builder) {
                           GraphBuilder graph(builder);
                           build(graph);
                         }),
          batch};
}

// Five convolutions with few, large filters first, three fully connected layers.
void large_filters(GraphBuilder& g) {
  LayerId x =
      g.conv(g.input(), 64, {.kernel = 11, .stride = 4, .padding = Padding::kValid, .relu = true});
  x = g.max_pool(x, {.kernel = 3, .stride = 2});
  x = g.conv(x, 192, {.kernel = 5, .relu = true});
  x = g.max_pool(x, {.kernel = 3, .stride = 2});
  x = g.conv(x, 384, {.kernel = 3, .relu = true});
  x = g.conv(x, 384, {.kernel = 3, .relu = true});
  x = g.conv(x, 256, {.kernel = 3, .relu = true});
  x = g.max_pool(x, {.kernel = 3, .stride = 2});
  x = g.dropout(g.fully_connected(x, 4096, {.relu = true}), 0.5);
  x = g.dropout(g.fully_connected(x, 4096, {.relu = true}), 0.5);
  g.classify(x);
}

// Each width twice, as every longer stack repeats the second.
void small_filters(GraphBuilder& g) {
  LayerId x = g.input();
  for (const std::uint32_t channels : {64u, 128u, 256u, 512u, 512u}) {
    x = g.conv(x, channels, {.kernel = 3, .relu = true});
    x = g.conv(x, channels, {.kernel = 3, .relu = true});
    x = g.max_pool(x, {.kernel = 2, .stride = 2});
  }
  g.classify(g.global_average_pool(x));
}

LayerId bottleneck(GraphBuilder& g, LayerId x, std::uint32_t width, std::uint32_t stride) {
  const LayerId shortcut =
      g.shape(x).channels == width ? x : g.conv(x, width, {.stride = stride, .batch_norm = kNorm});
  LayerId y = g.conv(x, width / 4, {.stride = stride, .batch_norm = kNorm, .relu = true});
  y = g.conv(y, width / 4, {.kernel = 3, .batch_norm = kNorm, .relu = true});
  return g.relu(g.add(shortcut, g.conv(y, width, {.batch_norm = kNorm})));
}

// Of every width one block with a projection and two without.
void bottlenecks(GraphBuilder& g) {
  LayerId x = g.conv(
      g.input(), 64,
      {.kernel = 7, .stride = 2, .padding = Padding::kFixed, .batch_norm = kNorm, .relu = true});
  x = g.max_pool(x, {.kernel = 3, .stride = 2, .padding = Padding::kSame});
  for (const std::uint32_t width : {256u, 512u, 1024u, 2048u}) {
    x = bottleneck(g, x, width, width == 256 ? 1 : 2);
    x = bottleneck(g, bottleneck(g, x, width, 1), width, 1);
  }
  g.classify(g.global_average_pool(x));
}

void few_layers(GraphBuilder& g) {
  LayerId x = g.conv(g.input(), 32, {.kernel = 3, .batch_norm = kNorm, .relu = true});
  x = g.max_pool(x, {.kernel = 2, .stride = 2});
  x = g.conv(x, 32, {.kernel = 3, .relu = true});
  g.classify(g.fully_connected(g.conv(x, 64), 64, {.relu = true}));
}

void middle_layers(GraphBuilder& g) {
  LayerId x = g.conv(g.input(), 64, {.kernel = 7, .stride = 2, .batch_norm = kNorm, .relu = true});
  x = g.max_pool(x, {.kernel = 3, .stride = 2, .padding = Padding::kSame});
  for (const std::uint32_t width : {256u, 512u})
    x = bottleneck(g, bottleneck(g, x, width, width == 256 ? 1 : 2), width, 1);
  g.classify(g.global_average_pool(x));
}

}  // namespace

std::vector<ProbeNetwork> probe_networks() {
  std::vector<ProbeNetwork> networks;
  networks.push_back(network("large filters, fully connected", 224, 8, large_filters));
  networks.push_back(network("stacks of 3x3 convolutions", 224, 2, small_filters));
  networks.push_back(network("residual bottlenecks", 224, 4, bottlenecks));
  return networks;
}

std::vector<ProbeNetwork> quick_probe_networks() {
  std::vector<ProbeNetwork> networks;
  networks.push_back(network("a few small layers", 32, 2, few_layers));
  return networks;
}

ProbeNetwork neighbour_probe_network() {
  return network("layers of middle size", 112, 4, middle_layers);
}

}  // namespace convoy::calibrate
