// The layers of a model and their options. Part of model.hpp.
#ifndef CONVOY_GRAPH_BUILDER_HPP
#define CONVOY_GRAPH_BUILDER_HPP

#include <convoy/abi.h>
#include <convoy/sized.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace convoy {

using LayerId = uint32_t;

enum class Padding : uint32_t {
  kValid = CONVOY_PADDING_VALID,
  kSame = CONVOY_PADDING_SAME,
  kFixed = CONVOY_PADDING_FIXED,
};

// Height and width; one number means both.
struct Size {
  constexpr Size(uint32_t side) : height(side), width(side) {}  // NOLINT: 3 is a size
  constexpr Size(uint32_t rows, uint32_t columns) : height(rows), width(columns) {}
  uint32_t height;
  uint32_t width;
};

// Channels, height and width of one image's activation.
struct Shape {
  uint32_t channels;
  uint32_t height;
  uint32_t width;
};

// The initial values of variables. The default is the layer's usual rule.
using Initializer = convoy_initializer;
constexpr Initializer constant(double value) {
  return {CONVOY_INITIALIZE_CONSTANT, 0, value};
}
constexpr Initializer truncated_normal(double deviation) {
  return {CONVOY_INITIALIZE_TRUNCATED_NORMAL, 0, deviation};
}

struct BatchNormOptions {
  bool scale = false;    // gamma exists
  bool decayed = false;  // weight decay applies to gamma and beta
  double epsilon = 0.001;
  double decay = 0.999;  // of the moving statistics
  const char* name = nullptr;
};

struct ConvolutionOptions {
  Size kernel = 1;
  Size stride = 1;
  Padding padding = Padding::kSame;
  Size dilation = 1;    // distance in cells between neighbouring taps of the kernel
  uint32_t groups = 1;  // divides input and output channels; depthwise = the input channels
  std::optional<BatchNormOptions> batch_norm =
      std::nullopt;   // adds that layer; there is no bias then
  bool relu = false;  // adds a relu layer
  double limit = 0;   // the relu's upper bound, 0 = none
  bool bias = true;
  Initializer weights{};
  Initializer bias_start{};
  const char* name = nullptr;
};

struct FullyConnectedOptions {
  bool relu = false;  // adds a relu layer
  bool bias = true;
  Initializer weights{};
  Initializer bias_start{};
  const char* name = nullptr;
};

struct LayerNormOptions {
  bool scale = true;     // gamma exists
  bool decayed = false;  // weight decay applies to gamma and beta
  double epsilon = 1e-6;
  const char* name = nullptr;
};

struct PoolOptions {
  Size kernel = 2;
  Size stride = 2;
  Padding padding = Padding::kValid;
};

// x / (offset + alpha * sum of squares over 2 * radius + 1 channels) ^ beta
struct LocalResponseNormOptions {
  uint32_t radius = 5;
  double offset = 1;
  double alpha = 1;
  double beta = 0.5;
};

// Adds layers to the model. Every function returns the layer whose output is the result: channels,
// height and width of one image, see shape(). convoy_layer_kind defines what each layer computes.
// All throw when the host refuses a layer; the host keeps the reason and reports it. Valid during
// build(), for one thread at a time. The host copies names.
class GraphBuilder {
 public:
  explicit GraphBuilder(const convoy_graph_builder& builder)
      : builder_(read_table(builder, "convoy_graph_builder")) {}

  static constexpr LayerId input() { return 0; }         // [3, image_size, image_size]
  uint32_t classes() const { return builder_.classes; }  // of the data set
  Shape shape(LayerId x) const {
    uint32_t out[3] = {};
    if (builder_.shape(builder_.self, x, out) != 0)
      throw std::runtime_error("the host knows no layer " + std::to_string(x));
    return {out[0], out[1], out[2]};
  }

  // A convolution with this many output channels, then batch norm and relu as the options say.
  LayerId conv(LayerId x, uint32_t channels, const ConvolutionOptions& options = {}) {
    convoy_layer layer =
        window(CONVOY_LAYER_CONVOLUTION, options.kernel, options.stride, options.padding);
    layer.channels = channels;
    layer.groups = options.groups;
    if (options.dilation.height > 1) layer.dilation_height = options.dilation.height;
    if (options.dilation.width > 1) layer.dilation_width = options.dilation.width;
    layer.name = options.name;
    if (options.bias && !options.batch_norm) layer.flags = CONVOY_LAYER_HAS_BIAS;
    layer.weights = options.weights;
    layer.bias = options.bias_start;
    x = add_layer(layer, {x});
    if (options.batch_norm) x = batch_norm(x, *options.batch_norm);
    return options.relu ? relu(x, options.limit) : x;
  }

  // Multiplies all values of an image by a matrix. The output has one cell per channel.
  LayerId fully_connected(LayerId x, uint32_t outputs, const FullyConnectedOptions& options = {}) {
    convoy_layer layer = blank(CONVOY_LAYER_FULLY_CONNECTED);
    layer.channels = outputs;
    layer.name = options.name;
    if (options.bias) layer.flags = CONVOY_LAYER_HAS_BIAS;
    layer.weights = options.weights;
    layer.bias = options.bias_start;
    x = add_layer(layer, {x});
    return options.relu ? relu(x) : x;
  }

  LayerId batch_norm(LayerId x, const BatchNormOptions& options = {}) {
    convoy_layer layer = blank(CONVOY_LAYER_BATCH_NORM);
    if (options.scale) layer.flags |= CONVOY_LAYER_HAS_SCALE;
    if (options.decayed) layer.flags |= CONVOY_LAYER_DECAYED;
    layer.epsilon = options.epsilon;
    layer.decay = options.decay;
    layer.name = options.name;
    return add_layer(layer, {x});
  }

  // limit: upper bound, 0 = none.
  LayerId relu(LayerId x, double limit = 0) {
    convoy_layer layer = blank(CONVOY_LAYER_RELU);
    layer.limit = limit;
    return add_layer(layer, {x});
  }

  // Element-wise functions; gelu is exact, with the error function.
  LayerId sigmoid(LayerId x) { return add_layer(blank(CONVOY_LAYER_SIGMOID), {x}); }
  LayerId tanh(LayerId x) { return add_layer(blank(CONVOY_LAYER_TANH), {x}); }
  LayerId silu(LayerId x) { return add_layer(blank(CONVOY_LAYER_SILU), {x}); }
  LayerId gelu(LayerId x) { return add_layer(blank(CONVOY_LAYER_GELU), {x}); }

  // Normalises every cell over its channels.
  LayerId layer_norm(LayerId x, const LayerNormOptions& options = {}) {
    convoy_layer layer = blank(CONVOY_LAYER_LAYER_NORM);
    if (options.scale) layer.flags |= CONVOY_LAYER_HAS_SCALE;
    if (options.decayed) layer.flags |= CONVOY_LAYER_DECAYED;
    layer.epsilon = options.epsilon;
    layer.name = options.name;
    return add_layer(layer, {x});
  }

  // Multiplies cell by cell. If `factors` has one cell per channel, it multiplies the whole
  // channel.
  LayerId multiply(LayerId x, LayerId factors) {
    return add_layer(blank(CONVOY_LAYER_MULTIPLY), {x, factors});
  }
  // Multiplies every channel by a variable of its own, which starts at `start`.
  LayerId scale(LayerId x, double start = 1) {
    convoy_layer layer = blank(CONVOY_LAYER_SCALE);
    layer.weights = constant(start);
    return add_layer(layer, {x});
  }
  // keep: probability that an image keeps all its values in training.
  LayerId stochastic_depth(LayerId x, double keep) {
    convoy_layer layer = blank(CONVOY_LAYER_STOCHASTIC_DEPTH);
    layer.keep = keep;
    return add_layer(layer, {x});
  }

  // A column of cells: a learned cell, then the cells of x row by row. For transformers.
  LayerId class_token(LayerId x) { return add_layer(blank(CONVOY_LAYER_CLASS_TOKEN), {x}); }
  // Adds a learned value per cell and channel.
  LayerId position(LayerId x) { return add_layer(blank(CONVOY_LAYER_POSITION), {x}); }
  // Softmax attention over all cells; a third of x's channels each are queries, keys and values.
  LayerId attention(LayerId x, uint32_t heads) {
    convoy_layer layer = blank(CONVOY_LAYER_ATTENTION);
    layer.groups = heads;
    return add_layer(layer, {x});
  }

  // Every cell becomes factor.height x factor.width cells: copies, or bilinear interpolation.
  LayerId upsample(LayerId x, Size factor, bool interpolated = false) {
    convoy_layer layer = blank(CONVOY_LAYER_UPSAMPLE);
    layer.stride_height = factor.height;
    layer.stride_width = factor.width;
    if (interpolated) layer.flags = CONVOY_LAYER_INTERPOLATED;
    return add_layer(layer, {x});
  }

  LayerId max_pool(LayerId x, const PoolOptions& options = {}) {
    return pool(CONVOY_LAYER_MAX_POOL, x, options);
  }
  LayerId average_pool(LayerId x, const PoolOptions& options = {}) {
    return pool(CONVOY_LAYER_AVERAGE_POOL, x, options);
  }
  // The mean over all rows and columns.
  LayerId global_average_pool(LayerId x) {
    const Shape from = shape(x);
    return average_pool(x, {.kernel = {from.height, from.width}, .stride = 1});
  }

  // The sum of two layers of the same shape.
  LayerId add(LayerId a, LayerId b) { return add_layer(blank(CONVOY_LAYER_ADD), {a, b}); }
  // The channels of all parts, in order; height and width are the same.
  LayerId concat(const std::vector<LayerId>& parts) {
    return add_layer(blank(CONVOY_LAYER_CONCAT), parts);
  }

  // Adds channels of zeros up to `channels`: half of them before, half (rounded up) after.
  LayerId pad_channels(LayerId x, uint32_t channels) {
    convoy_layer layer = blank(CONVOY_LAYER_PAD_CHANNELS);
    layer.channels = channels;
    return add_layer(layer, {x});
  }

  // keep: probability that a value survives in training.
  LayerId dropout(LayerId x, double keep = 0.5) {
    convoy_layer layer = blank(CONVOY_LAYER_DROPOUT);
    layer.keep = keep;
    return add_layer(layer, {x});
  }

  LayerId local_response_norm(LayerId x, const LocalResponseNormOptions& options = {}) {
    convoy_layer layer = blank(CONVOY_LAYER_LOCAL_RESPONSE_NORM);
    layer.radius = options.radius;
    layer.offset = options.offset;
    layer.alpha = options.alpha;
    layer.beta = options.beta;
    return add_layer(layer, {x});
  }

  // The end of a classifier: a linear layer with one output per class, and the mean cross-entropy
  // as loss.
  LayerId classify(LayerId x) { return softmax_cross_entropy(fully_connected(x, classes())); }
  // The two losses. One of them is the last layer.
  LayerId softmax_cross_entropy(LayerId logits) {
    return add_layer(blank(CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY), {logits});
  }
  LayerId mean_loss(LayerId x) { return add_layer(blank(CONVOY_LAYER_MEAN_LOSS), {x}); }

 private:
  static convoy_layer blank(uint32_t kind) {
    auto layer = make_sized<convoy_layer>();
    layer.kind = kind;
    return layer;
  }
  static convoy_layer window(uint32_t kind, Size kernel, Size stride, Padding padding) {
    convoy_layer layer = blank(kind);
    layer.kernel_height = kernel.height;
    layer.kernel_width = kernel.width;
    layer.stride_height = stride.height;
    layer.stride_width = stride.width;
    layer.padding = static_cast<uint32_t>(padding);
    return layer;
  }
  LayerId pool(uint32_t kind, LayerId x, const PoolOptions& options) {
    return add_layer(window(kind, options.kernel, options.stride, options.padding), {x});
  }
  LayerId add_layer(convoy_layer layer, const std::vector<LayerId>& inputs) {
    layer.inputs = inputs.data();
    layer.input_count = inputs.size();
    LayerId id = 0;
    if (builder_.add(builder_.self, &layer, &id) != 0)
      throw std::runtime_error("the host refused a layer");
    return id;
  }

  convoy_graph_builder builder_;
};

}  // namespace convoy

#endif
