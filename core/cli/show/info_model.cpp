#include "core/cli/show/info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "core/base/error.hpp"
#include "core/data/pipeline/dataset.hpp"
#include "core/graph/assembler.hpp"
#include "core/graph/layer_traits.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/model_plugin.hpp"

namespace convoy::cli {
namespace {

struct DescribedModel {
  std::string dataset;
  std::uint32_t batch_size;
  graph::Graph graph;
};

DescribedModel describe_model(const plugin::FoundPlugin& plugin) {
  plugin::PluginHost host;
  plugin::ModelPlugin model(host.load_model(plugin), {});
  const convoy_model_info info = model.info();
  return {info.dataset, info.batch_size,
          graph::assemble_graph(
              plugin.manifest.name, info.image_size, data::find_dataset(info.dataset).classes,
              [&](const convoy_graph_builder& builder) { model.build(builder); })};
}

// A multiply-add counts as two operations.
double gflop(std::uint64_t multiply_adds) {
  return 2e-9 * static_cast<double>(multiply_adds);
}

// Puts a comma before every three digits: "25,557,032".
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t end = text.size(); end > 3;) text.insert(end -= 3, ",");
  return text;
}

std::string output_text(const graph::TensorShape& shape) {
  return fmt::format("{}x{}x{}", shape.channels, shape.height, shape.width);
}

// Returns a text such as "convolution 3x3, stride 2x2, 32 groups".
std::string layer_text(const convoy_layer& layer) {
  std::string text = graph::find_layer_traits(layer.kind)->name;
  if (layer.kernel_height > 0)
    text += fmt::format(" {}x{}", layer.kernel_height, layer.kernel_width);
  if (std::max(layer.stride_height, layer.stride_width) > 1)
    text += fmt::format(", {} {}x{}", layer.kernel_height > 0 ? "stride" : "by",
                        layer.stride_height, layer.stride_width);
  if (std::max(layer.dilation_height, layer.dilation_width) > 1)
    text += fmt::format(", dilation {}x{}", std::max(layer.dilation_height, 1u),
                        std::max(layer.dilation_width, 1u));
  if (layer.kind == CONVOY_LAYER_ATTENTION) return text + fmt::format(", {} heads", layer.groups);
  return layer.groups > 1 ? text + fmt::format(", {} groups", layer.groups) : text;
}

std::uint64_t parameters_of(const graph::Graph& graph, const graph::GraphNode& node) {
  std::uint64_t sum = 0;
  for (const std::uint32_t variable : node.variables)
    if (variable != CONVOY_NONE) sum += graph.variables()[variable].elements;
  return sum;
}

void print_layers(const graph::Graph& graph, std::ostream& out) {
  std::size_t name = 4, kind = 5;
  for (const graph::GraphNode& node : graph.nodes()) {
    name = std::max(name, node.name.size());
    kind = std::max(kind, layer_text(node.layer).size());
  }
  out << fmt::format("\n{:{}}  {:{}}  {:>13}  {:>11}  {:>8}\n", "name", name, "layer", kind,
                     "output", "parameters", "GFLOP");
  for (const graph::GraphNode& node : graph.nodes()) {
    const std::uint64_t parameters = parameters_of(graph, node);
    std::string line = fmt::format("{:{}}  {:{}}  {:>13}", node.name, name, layer_text(node.layer),
                                   kind, output_text(node.output));
    if (parameters > 0 || node.multiply_adds > 0)
      line += fmt::format("  {:>11}", parameters > 0 ? grouped(parameters) : "");
    if (node.multiply_adds > 0) line += fmt::format("  {:8.4f}", gflop(node.multiply_adds));
    out << line << '\n';
  }
}

void print_description(const DescribedModel& model, std::ostream& out) {
  const graph::Graph& graph = model.graph;
  out << fmt::format("images     {} of {}, {} classes\n", output_text(graph.nodes()[0].output),
                     model.dataset, graph.classes());
  out << fmt::format("batch      {} images per device by default\n", model.batch_size);
  out << fmt::format("parameters {} in {} variables\n", grouped(graph.parameter_count()),
                     graph.variables().size());
  out << fmt::format(
      "operations {:.3f} GFLOP per image forward ({:.3f} G multiply-adds of convolutions, fully "
      "connected layers and attention)\n",
      gflop(graph.multiply_adds()), gflop(graph.multiply_adds()) / 2);
  print_layers(graph, out);
}

nlohmann::ordered_json described_json(const DescribedModel& model) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const graph::GraphNode& node : model.graph.nodes())
    layers.push_back({{"name", node.name},
                      {"layer", layer_text(node.layer)},
                      {"inputs", node.inputs},
                      {"output", {node.output.channels, node.output.height, node.output.width}},
                      {"parameters", parameters_of(model.graph, node)},
                      {"multiply_adds", node.multiply_adds}});
  return {{"dataset", model.dataset},
          {"classes", model.graph.classes()},
          {"image_size", model.graph.image_size()},
          {"batch_size", model.batch_size},
          {"parameters", model.graph.parameter_count()},
          {"variables", model.graph.variables().size()},
          {"multiply_adds", model.graph.multiply_adds()},
          {"layers", layers}};
}

}  // namespace

void print_model(const plugin::FoundPlugin& plugin, std::ostream& out) {
  try {
    print_description(describe_model(plugin), out);
  } catch (const Error& error) {
    out << fmt::format("unusable   here: {}\n", error.what());
  }
}

nlohmann::ordered_json model_json(const plugin::FoundPlugin& plugin) {
  try {
    return described_json(describe_model(plugin));
  } catch (const Error& error) {
    return {{"unusable", error.what()}};
  }
}

}  // namespace convoy::cli
