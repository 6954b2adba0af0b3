#include "core/graph/layer_rules.hpp"

#include <cmath>
#include <convoy/sized.hpp>

#include "core/base/error.hpp"
#include "core/graph/layer_traits.hpp"

namespace convoy::graph {
namespace {

// Activations of one image and elements of one variable stay below this, so that 32-bit indices of
// device libraries hold at any batch they can allocate.
constexpr uint64_t kMaximumElements = uint64_t{1} << 31;

template <typename... Args>
[[noreturn]] void refuse(const std::string& where, fmt::format_string<Args...> format,
                         Args&&... args) {
  fail(ExitCode::kUnavailable, "{}: {}", where, fmt::format(format, std::forward<Args>(args)...));
}

convoy_layer known_layer(const convoy_layer& given, const std::string& where) {
  try {
    return read_sized(given, "convoy_layer", Side::kHost);
  } catch (const UnusableStruct& error) {
    refuse(where, "{}", error.what());
  }
}

void check_window(const convoy_layer& layer, const std::string& where) {
  if (layer.kernel_height == 0 || layer.kernel_width == 0)
    refuse(where, "kernel {}x{} has a zero side", layer.kernel_height, layer.kernel_width);
  if (layer.stride_height == 0 || layer.stride_width == 0)
    refuse(where, "stride {}x{} has a zero side", layer.stride_height, layer.stride_width);
  if (layer.padding > CONVOY_PADDING_FIXED)
    refuse(where, "unknown padding rule {}; this host knows 0 to {}", layer.padding,
           int{CONVOY_PADDING_FIXED});
}

// Only convolutions have a dilation. 1 becomes 0, which devices of older SDKs know.
void read_dilation(convoy_layer& layer, const std::string& where) {
  for (uint32_t* dilation : {&layer.dilation_height, &layer.dilation_width}) {
    if (*dilation > 1 && layer.kind != CONVOY_LAYER_CONVOLUTION)
      refuse(where, "dilation is {}; only convolutions have one", *dilation);
    if (*dilation == 1) *dilation = 0;
  }
}

void check_initializer(const convoy_initializer& given, const char* what,
                       const std::string& where) {
  if (given.kind > CONVOY_INITIALIZE_VARIANCE_SCALING || given.reserved != 0)
    refuse(where, "{} initialiser of unknown kind {}", what, given.kind);
  if (!std::isfinite(given.value) ||
      (given.kind == CONVOY_INITIALIZE_TRUNCATED_NORMAL && given.value <= 0))
    refuse(where, "{} initialiser has value {}", what, given.value);
}

void check_range(bool holds, const char* field, double value, const char* range,
                 const std::string& where) {
  if (!holds) refuse(where, "{} is {}, it must be {}", field, value, range);
}

void check_numbers(const convoy_layer& layer, const std::string& where) {
  switch (layer.kind) {
    case CONVOY_LAYER_BATCH_NORM:
      check_range(layer.epsilon > 0, "epsilon", layer.epsilon, "greater than 0", where);
      check_range(layer.decay >= 0 && layer.decay <= 1, "decay", layer.decay, "in 0..1", where);
      break;
    case CONVOY_LAYER_RELU:
      check_range(layer.limit >= 0, "limit", layer.limit, "0 (none) or greater", where);
      break;
    case CONVOY_LAYER_LAYER_NORM:
      check_range(layer.epsilon > 0, "epsilon", layer.epsilon, "greater than 0", where);
      break;
    case CONVOY_LAYER_DROPOUT:
    case CONVOY_LAYER_STOCHASTIC_DEPTH:
      check_range(layer.keep > 0 && layer.keep <= 1, "keep", layer.keep,
                  "a probability greater than 0", where);
      break;
    case CONVOY_LAYER_LOCAL_RESPONSE_NORM:
      check_range(std::isfinite(layer.alpha) && layer.alpha >= 0, "alpha", layer.alpha,
                  "0 or greater", where);
      check_range(std::isfinite(layer.beta), "beta", layer.beta, "finite", where);
      check_range(layer.offset > 0, "offset", layer.offset, "greater than 0", where);
      break;
    default:
      break;
  }
}

void check_size(uint64_t a, uint64_t b, uint64_t c, const char* what, const std::string& where) {
  // a, b and c are below 2^32: the first product cannot wrap, the second is tested by division.
  if (a * b >= kMaximumElements || (c != 0 && a * b > (kMaximumElements - 1) / c))
    refuse(where, "{} of {} x {} x {} elements; the limit is {}", what, a, b, c, kMaximumElements);
}

// Returns the number of cells that a kernel spans.
uint32_t extent(uint32_t kernel, uint32_t dilation, const std::string& where) {
  const uint64_t cells = (uint64_t{kernel} - 1) * (dilation == 0 ? 1 : dilation) + 1;
  check_size(cells, 1, 1, "kernel with its dilation", where);
  return static_cast<uint32_t>(cells);
}

void infer_window(const convoy_layer& layer, const TensorShape& input, const std::string& where,
                  LayerInference& result) {
  result.rows = cover_axis(input.height, extent(layer.kernel_height, layer.dilation_height, where),
                           layer.stride_height, layer.padding);
  result.columns = cover_axis(input.width, extent(layer.kernel_width, layer.dilation_width, where),
                              layer.stride_width, layer.padding);
  if (result.rows.output == 0 || result.columns.output == 0)
    refuse(
        where,
        "kernel {}x{} is larger than its input of {}x{}; use SAME padding, a smaller kernel or a "
        "larger image",
        layer.kernel_height, layer.kernel_width, input.height, input.width);
  result.output = {input.channels, result.rows.output, result.columns.output};
}

void infer_convolution(const convoy_layer& layer, const TensorShape& input,
                       const std::string& where, LayerInference& result) {
  infer_window(layer, input, where, result);
  if (layer.channels % layer.groups != 0 || input.channels % layer.groups != 0)
    refuse(where, "{} groups do not divide {} input and {} output channels", layer.groups,
           input.channels, layer.channels);
  result.output.channels = layer.channels;
  check_size(layer.kernel_height, layer.kernel_width, 1, "kernel", where);
  const uint64_t taps = uint64_t{layer.kernel_height} * layer.kernel_width;
  check_size(layer.channels, input.channels / layer.groups, taps, "kernel", where);
  result.multiply_adds = result.output.elements() * (input.channels / layer.groups) * taps;
}

void infer_attention(const convoy_layer& layer, const TensorShape& input, const std::string& where,
                     LayerInference& result) {
  const uint32_t channels = input.channels / 3;
  if (input.channels % 3 != 0 || channels % layer.groups != 0)
    refuse(where,
           "{} input channels cannot be queries, keys and values of {} heads; it takes 3 times a "
           "multiple of the heads",
           input.channels, layer.groups);
  const uint64_t cells = uint64_t{input.height} * input.width;
  check_size(cells, cells, layer.groups, "weights of attention", where);
  result.output.channels = channels;
  result.multiply_adds = 2 * cells * cells * channels;
}

void infer_upsampling(const convoy_layer& layer, const TensorShape& input, const std::string& where,
                      LayerInference& result) {
  if (layer.stride_height == 0 || layer.stride_width == 0)
    refuse(where, "stride {}x{} has a zero side; it is how many cells each cell becomes",
           layer.stride_height, layer.stride_width);
  check_size(input.height, layer.stride_height, 1, "rows", where);
  check_size(input.width, layer.stride_width, 1, "columns", where);
  result.output.height = input.height * layer.stride_height;
  result.output.width = input.width * layer.stride_width;
}

void infer_class_token(const TensorShape& input, const std::string& where, LayerInference& result) {
  check_size(input.height, input.width, 1, "cells", where);
  result.output = {input.channels, input.height * input.width + 1, 1};
}

void check_factors(std::span<const TensorShape> inputs, const std::string& where) {
  const TensorShape &a = inputs[0], &b = inputs[1];
  if (b != a && b != TensorShape{a.channels, 1, 1})
    refuse(where,
           "inputs of {}x{}x{} and {}x{}x{} cannot be multiplied; the second one has the shape of "
           "the first, or one cell for each of its channels",
           a.channels, a.height, a.width, b.channels, b.height, b.width);
}

void check_terms(std::span<const TensorShape> inputs, const std::string& where) {
  const TensorShape &a = inputs[0], &b = inputs[1];
  if (b != a)
    refuse(where, "inputs of {}x{}x{} and {}x{}x{} cannot be added", a.channels, a.height, a.width,
           b.channels, b.height, b.width);
}

void check_logits(const TensorShape& input, const std::string& where) {
  if (input.height != 1 || input.width != 1)
    refuse(where, "its input is {}x{}x{}; logits have one cell per class", input.channels,
           input.height, input.width);
}

// For layers whose result has the shape of their first input.
void check_inputs(uint32_t kind, std::span<const TensorShape> inputs, const std::string& where) {
  if (kind == CONVOY_LAYER_ADD) check_terms(inputs, where);
  if (kind == CONVOY_LAYER_MULTIPLY) check_factors(inputs, where);
  if (kind == CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY) check_logits(inputs[0], where);
}

void infer_fully_connected(const convoy_layer& layer, const TensorShape& input,
                           const std::string& where, LayerInference& result) {
  result.output = {layer.channels, 1, 1};
  check_size(layer.channels, input.elements(), 1, "weights", where);
  result.multiply_adds = input.elements() * layer.channels;
}

void infer_padding(const convoy_layer& layer, const TensorShape& input, const std::string& where,
                   LayerInference& result) {
  if (layer.channels < input.channels)
    refuse(where, "{} output channels for {} input channels; padding only adds channels",
           layer.channels, input.channels);
  result.output.channels = layer.channels;
}

void infer_concat(std::span<const TensorShape> inputs, const std::string& where,
                  LayerInference& result) {
  uint64_t channels = 0;
  for (const TensorShape& input : inputs) {
    if (input.height != inputs[0].height || input.width != inputs[0].width)
      refuse(where, "inputs of {}x{} and {}x{} cannot be joined along channels", inputs[0].height,
             inputs[0].width, input.height, input.width);
    channels += input.channels;
  }
  check_size(channels, inputs[0].height, inputs[0].width, "output", where);
  result.output.channels = static_cast<uint32_t>(channels);
}

}  // namespace

std::string layer_kind_name(uint32_t kind) {
  const LayerTraits* traits = find_layer_traits(kind);
  return traits != nullptr ? traits->name : fmt::format("unknown kind {}", kind);
}

convoy_layer read_layer(const convoy_layer& given, const std::string& where) {
  convoy_layer layer = known_layer(given, where);
  const LayerTraits* traits = find_layer_traits(layer.kind);
  if (traits == nullptr)
    refuse(where, "layer kind {} is unknown to version {}.{} of the ABI", layer.kind,
           CONVOY_ABI_MAJOR, CONVOY_ABI_MINOR);
  if ((layer.flags & ~traits->flags) != 0)
    refuse(where, "flags {:#x} are unknown for a {} layer", layer.flags & ~traits->flags,
           traits->name);
  if (layer.input_count < traits->minimum_inputs || layer.input_count > traits->maximum_inputs)
    refuse(where, "{} inputs; a {} layer takes {} to {}", layer.input_count, traits->name,
           traits->minimum_inputs, traits->maximum_inputs);
  if (layer.input_count > 0 && layer.inputs == nullptr) refuse(where, "inputs is NULL");
  if ((traits->properties & kWindow) != 0) check_window(layer, where);
  read_dilation(layer, where);
  if (owns_weights(layer.kind) && layer.channels == 0) refuse(where, "it has zero channels");
  if (layer.groups == 0) layer.groups = 1;
  check_initializer(layer.weights, "weight", where);
  check_initializer(layer.bias, "bias", where);
  check_numbers(layer, where);
  return layer;
}

LayerInference infer_layer(const convoy_layer& layer, std::span<const TensorShape> inputs,
                           const std::string& where) {
  const TensorShape& input = inputs[0];
  LayerInference result;
  result.output = input;
  switch (layer.kind) {
    case CONVOY_LAYER_CONVOLUTION:
      infer_convolution(layer, input, where, result);
      break;
    case CONVOY_LAYER_FULLY_CONNECTED:
      infer_fully_connected(layer, input, where, result);
      break;
    case CONVOY_LAYER_MAX_POOL:
    case CONVOY_LAYER_AVERAGE_POOL:
      infer_window(layer, input, where, result);
      break;
    case CONVOY_LAYER_CLASS_TOKEN:
      infer_class_token(input, where, result);
      break;
    case CONVOY_LAYER_ATTENTION:
      infer_attention(layer, input, where, result);
      break;
    case CONVOY_LAYER_UPSAMPLE:
      infer_upsampling(layer, input, where, result);
      break;
    case CONVOY_LAYER_CONCAT:
      infer_concat(inputs, where, result);
      break;
    case CONVOY_LAYER_PAD_CHANNELS:
      infer_padding(layer, input, where, result);
      break;
    default:
      check_inputs(layer.kind, inputs, where);
  }
  check_size(result.output.channels, result.output.height, result.output.width, "output", where);
  return result;
}

}  // namespace convoy::graph
