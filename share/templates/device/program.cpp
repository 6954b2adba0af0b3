#include "program.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "layers.hpp"

namespace {

// Whether parameters are stored in the order of their dimensions, without padding or blocks.
// propose_layout() asks for that. If devices of several kinds train together, the host may choose
// otherwise.
bool is_plain(const convoy_graph_variable& variable) {
  std::uint64_t stride = 1;
  for (std::uint32_t i = variable.rank; i-- > 0;) {
    if (variable.layout.strides[i] != stride || variable.layout.padded[i] != variable.dimensions[i])
      return false;
    stride *= variable.dimensions[i];
  }
  return variable.layout.inner_blocks == 0;
}

void require_known(const convoy_compilation& what) {
  constexpr std::uint32_t kKnownFlags = CONVOY_COMPILE_DROPOUT | CONVOY_COMPILE_ACCURACY |
                                        CONVOY_COMPILE_INFERENCE |
                                        CONVOY_COMPILE_DIRECT_CONVOLUTIONS;
  if ((what.flags & CONVOY_COMPILE_PROFILE) != 0)
    throw std::invalid_argument(
        "this device keeps no times of layers, which --profile and calibrate need");
  if ((what.flags & ~kKnownFlags) != 0)
    throw std::invalid_argument("compile flags " + std::to_string(what.flags & ~kKnownFlags) +
                                " are unknown");
  if (what.dtype != CONVOY_F32)
    throw std::invalid_argument("this device computes in 32 bits only; leave out --use_fp16");
  for (std::uint64_t i = 0; i < what.graph->variable_count; ++i)
    if (!is_plain(*what.graph->variables[i]))
      throw std::invalid_argument(std::string("variable ") + what.graph->variables[i]->name +
                                  " is not stored in plain order");
}

std::unique_ptr<Layer> make_layer(LayerParts parts) {
  const convoy_layer& layer = *parts.node->layer;
  if (layer.dilation_height > 1 || layer.dilation_width > 1)
    throw std::invalid_argument("layer " + std::to_string(parts.index) +
                                " has a dilation, which this device does not know");
  switch (layer.kind) {
    case CONVOY_LAYER_INPUT:
      return make_input(std::move(parts));
    case CONVOY_LAYER_CONVOLUTION:
      return make_convolution(std::move(parts));
    case CONVOY_LAYER_FULLY_CONNECTED:
      return make_fully_connected(std::move(parts));
    case CONVOY_LAYER_BATCH_NORM:
      return make_batch_norm(std::move(parts));
    case CONVOY_LAYER_RELU:
      return make_relu(std::move(parts));
    case CONVOY_LAYER_MAX_POOL:
      return make_max_pool(std::move(parts));
    case CONVOY_LAYER_AVERAGE_POOL:
      return make_average_pool(std::move(parts));
    case CONVOY_LAYER_ADD:
      return make_add(std::move(parts));
    case CONVOY_LAYER_CONCAT:
      return make_concat(std::move(parts));
    case CONVOY_LAYER_DROPOUT:
      return make_dropout(std::move(parts));
    case CONVOY_LAYER_LOCAL_RESPONSE_NORM:
      return make_local_response_norm(std::move(parts));
    case CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY:
      return make_softmax_cross_entropy(std::move(parts));
    case CONVOY_LAYER_MEAN_LOSS:
      return make_mean_loss(std::move(parts));
    case CONVOY_LAYER_PAD_CHANNELS:
      return make_pad_channels(std::move(parts));
    default:
      throw std::invalid_argument("layer " + std::to_string(parts.index) + " is of kind " +
                                  std::to_string(layer.kind) + ", which this device does not know");
  }
}

std::unique_ptr<Values> make_values(const convoy_node& node, std::uint32_t batch) {
  auto values = std::make_unique<Values>();
  values->channels = node.channels;
  values->height = node.height;
  values->width = node.width;
  values->data.resize(batch * values->image());
  values->gradient.resize(values->data.size());
  return values;
}

}  // namespace

Program::Program(const convoy_compilation& what) : what_(what) {
  require_known(what);
  for (std::size_t i = 0; i < what.graph->node_count; ++i) {
    const convoy_node& node = *what.graph->nodes[i];
    values_.push_back(make_values(node, what.batch));
    LayerParts parts{&what_, &node, i, {}, values_.back().get()};
    for (std::uint64_t k = 0; k < node.layer->input_count; ++k)
      parts.inputs.push_back(values_.at(node.layer->inputs[k]).get());
    layers_.push_back(make_layer(std::move(parts)));
  }
}

void Program::forward(const convoy_submission& submission) {
  const convoy_compute& compute = *submission.compute;
  for (const std::unique_ptr<Layer>& layer : layers_) {
    if (layer->segment() != compute.segment) continue;
    layer->forward({&compute, submission.step});
    std::ranges::fill(layer->output().gradient, 0.0f);  // backward adds to it
  }
}

void Program::backward(const convoy_submission& submission) {
  if ((what_.flags & CONVOY_COMPILE_INFERENCE) != 0)
    throw std::invalid_argument("a program for inference has no backward pass");
  const convoy_compute& compute = *submission.compute;
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer)
    if ((*layer)->segment() == compute.segment) (*layer)->backward({&compute, submission.step});
}

std::size_t Program::activation_bytes() const {
  std::size_t elements = 0;
  for (const std::unique_ptr<Values>& values : values_)
    elements += values->data.size() + values->gradient.size();
  return elements * sizeof(float);
}
