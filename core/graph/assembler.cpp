#include "core/graph/assembler.hpp"

#include <exception>
#include <utility>

#include "core/base/error.hpp"
#include "core/graph/layer_rules.hpp"
#include "core/graph/layer_traits.hpp"

namespace convoy::graph {
namespace {

constexpr uint32_t kImageChannels = 3;

bool is_loss(uint32_t kind) {
  return kind == CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY || kind == CONVOY_LAYER_MEAN_LOSS;
}

GraphNode input_node(uint32_t image_size) {
  GraphNode node;
  node.layer.struct_size = sizeof(convoy_layer);
  node.layer.kind = CONVOY_LAYER_INPUT;
  node.layer.channels = kImageChannels;
  node.layer.groups = 1;
  node.name = "input";
  node.output = {kImageChannels, image_size, image_size};
  return node;
}

}  // namespace

GraphAssembler::GraphAssembler(std::string model, uint32_t image_size, uint32_t classes)
    : model_(std::move(model)), classes_(classes) {
  // 16384: the input of a fully connected layer then stays within the element limit.
  if (image_size == 0 || image_size > 16384)
    fail(ExitCode::kUnavailable, "model {}: image size {}; it must be 1 to 16384", model_,
         image_size);
  if (classes == 0) fail(ExitCode::kUnavailable, "model {}: the data set has no classes", model_);
  nodes_.push_back(input_node(image_size));
  names_["input"] = 0;
  builder_.struct_size = sizeof(builder_);
  builder_.self = this;
  builder_.classes = classes;
  builder_.add = add_thunk;
  builder_.shape = shape_thunk;
}

uint32_t GraphAssembler::add(const convoy_layer& given) {
  const std::string where = describe(given);
  convoy_layer layer = read_layer(given, where);
  check_place(layer, where);
  GraphNode node;
  node.inputs.assign(layer.inputs, layer.inputs + layer.input_count);
  const std::vector<TensorShape> shapes = input_shapes(node, where);
  const LayerInference inference = infer_layer(layer, shapes, where);
  if (layer.kind == CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY && shapes[0].channels < classes_)
    fail(ExitCode::kUnavailable, "{}: {} logits for {} classes; end the model with classify()",
         where, shapes[0].channels, classes_);
  node.name = name_layer(layer, where);
  layer.name = nullptr;
  layer.inputs = nullptr;
  node.layer = layer;
  node.input = shapes[0];
  node.output = inference.output;
  node.rows = inference.rows;
  node.columns = inference.columns;
  node.multiply_adds = inference.multiply_adds;
  nodes_.push_back(std::move(node));
  return static_cast<uint32_t>(nodes_.size() - 1);
}

TensorShape GraphAssembler::shape(uint32_t id) const {
  if (id >= nodes_.size())
    fail(ExitCode::kUnavailable, "model {}: shape of layer {} was asked, there are {} layers",
         model_, id, nodes_.size());
  return nodes_[id].output;
}

Graph GraphAssembler::finish() {
  if (!error_.empty()) throw Error(ExitCode::kUnavailable, error_);
  if (!is_loss(nodes_.back().layer.kind))
    fail(ExitCode::kUnavailable, "model {}: the last of {} layers is {}; it must be a loss", model_,
         nodes_.size(), nodes_.back().name);
  std::vector<bool> read(nodes_.size(), false);
  for (const GraphNode& node : nodes_) {
    for (const uint32_t input : node.inputs) read[input] = true;
  }
  for (size_t id = 0; id + 1 < nodes_.size(); ++id) {
    if (!read[id])
      fail(ExitCode::kUnavailable, "model {}: no layer reads the output of layer {} ({})", model_,
           id, nodes_[id].name);
  }
  return Graph(model_, classes_, std::move(nodes_));
}

std::string GraphAssembler::describe(const convoy_layer& layer) const {
  // Only the first two fields can be relied on before the size is known.
  const bool has_kind = layer.struct_size >= offsetof(convoy_layer, flags);
  return fmt::format("model {}: layer {} ({})", model_, nodes_.size(),
                     has_kind ? layer_kind_name(layer.kind) : "of unknown kind");
}

std::string GraphAssembler::name_layer(const convoy_layer& layer, const std::string& where) {
  const uint32_t number = kind_counts_[layer.kind]++;
  std::string name = layer.name != nullptr
                         ? std::string(layer.name)
                         : fmt::format("{}{}", find_layer_traits(layer.kind)->stem, number);
  if (is_loss(layer.kind) && layer.name == nullptr) name = "loss";
  if (name.empty()) fail(ExitCode::kUnavailable, "{}: its name is empty", where);
  const auto [known, added] = names_.emplace(name, static_cast<uint32_t>(nodes_.size()));
  if (!added)
    fail(ExitCode::kUnavailable, "{}: the name {} already belongs to layer {}", where, name,
         known->second);
  return name;
}

std::vector<TensorShape> GraphAssembler::input_shapes(const GraphNode& node,
                                                      const std::string& where) const {
  std::vector<TensorShape> shapes;
  for (const uint32_t input : node.inputs) {
    if (input >= nodes_.size())
      fail(ExitCode::kUnavailable, "{}: its input {} is not a layer added before it", where, input);
    shapes.push_back(nodes_[input].output);
  }
  return shapes;
}

void GraphAssembler::check_place(const convoy_layer& layer, const std::string& where) const {
  if (layer.kind == CONVOY_LAYER_INPUT)
    fail(ExitCode::kUnavailable, "{}: the host adds the input itself, it is layer 0", where);
  if (is_loss(nodes_.back().layer.kind))
    fail(ExitCode::kUnavailable, "{}: it comes after the loss, which must be the last layer",
         where);
}

template <typename Call>
int32_t GraphAssembler::guard(Call call) noexcept {
  if (!error_.empty()) return 1;
  try {
    call();
    return 0;
  } catch (const std::exception& exception) {
    error_ = exception.what();
    return 1;
  }
}

int32_t GraphAssembler::add_thunk(void* self, const convoy_layer* layer, uint32_t* id) noexcept {
  auto* assembler = static_cast<GraphAssembler*>(self);
  return assembler->guard([&] { *id = assembler->add(*layer); });
}

int32_t GraphAssembler::shape_thunk(void* self, uint32_t id, uint32_t out[3]) noexcept {
  auto* assembler = static_cast<GraphAssembler*>(self);
  return assembler->guard([&] {
    const TensorShape shape = assembler->shape(id);
    out[0] = shape.channels;
    out[1] = shape.height;
    out[2] = shape.width;
  });
}

Graph assemble_graph(std::string model, uint32_t image_size, uint32_t classes,
                     const std::function<void(const convoy_graph_builder&)>& build) {
  GraphAssembler assembler(std::move(model), image_size, classes);
  try {
    build(*assembler.c_builder());
  } catch (const std::exception&) {
    if (assembler.error().empty()) throw;
  }
  return assembler.finish();
}

}  // namespace convoy::graph
