#include "core/graph/layer_traits.hpp"

#include <convoy/abi.h>

#include <iterator>

namespace convoy::graph {
namespace {

using enum LayerTraffic;

constexpr uint32_t kNormFlags = CONVOY_LAYER_HAS_SCALE | CONVOY_LAYER_DECAYED;

// The rows are in the order of convoy_layer_kind. Columns: name, file name, stem, group, flags,
// least and most inputs, properties, traffic. The stems conv, bn, affine and norm are those of
// existing checkpoints.
constexpr LayerTraits kTraits[] = {
    {"input", "input", "input", "input", 0, 0, 0, 0, kNothing},
    {"convolution", "convolution", "conv", "convolution", CONVOY_LAYER_HAS_BIAS, 1, 1, kWindow,
     kNothing},
    {"fully connected", "fully_connected", "affine", "fully_connected", CONVOY_LAYER_HAS_BIAS, 1, 1,
     0, kNothing},
    {"batch norm", "batch_norm", "bn", "batch_norm", kNormFlags, 1, 1, kReadsForward, kPasses},
    {"relu", "relu", "relu", "elementwise", 0, 1, 1, kReadsForward, kBackward},
    {"max pool", "max_pool", "max_pool", "pool", 0, 1, 1, kWindow, kPasses},
    {"average pool", "average_pool", "average_pool", "pool", 0, 1, 1, kWindow, kPasses},
    {"add", "add", "add", "elementwise", 0, 2, 2, 0, kOperand},
    {"concat", "concat", "concat", "concat", 0, 2, 4096, 0, kNothing},
    {"dropout", "dropout", "dropout", "elementwise", 0, 1, 1, 0, kPasses},
    {"local response norm", "local_response_norm", "norm", "local_response_norm", 0, 1, 1,
     kReadsForward, kPasses},
    {"softmax cross-entropy", "softmax_cross_entropy", "loss", "loss", 0, 1, 1, 0, kNothing},
    {"mean loss", "mean_loss", "loss", "loss", 0, 1, 1, 0, kNothing},
    {"pad channels", "pad_channels", "pad_channels", "concat", 0, 1, 1, 0, kNothing},
    {"sigmoid", "sigmoid", "sigmoid", "elementwise", 0, 1, 1, kReadsForward, kBackward},
    {"tanh", "tanh", "tanh", "elementwise", 0, 1, 1, kReadsForward, kBackward},
    {"silu", "silu", "silu", "elementwise", 0, 1, 1, kReadsForward, kBackward},
    {"gelu", "gelu", "gelu", "elementwise", 0, 1, 1, kReadsForward, kBackward},
    {"multiply", "multiply", "multiply", "elementwise", 0, 2, 2, kReadsForward, kPasses},
    {"scale", "scale", "scale", "elementwise", CONVOY_LAYER_DECAYED, 1, 1, kReadsForward, kNothing},
    {"layer norm", "layer_norm", "layer_norm", "layer_norm", kNormFlags, 1, 1, kReadsForward,
     kPasses},
    {"stochastic depth", "stochastic_depth", "stochastic_depth", "elementwise", 0, 1, 1, 0,
     kNothing},
    {"class token", "class_token", "class_token", "concat", 0, 1, 1, 0, kNothing},
    {"position", "position", "position", "elementwise", 0, 1, 1, 0, kNothing},
    {"attention", "attention", "attention", "attention", 0, 1, 1, kReadsForward, kNothing},
    {"upsample", "upsample", "upsample", "upsample", CONVOY_LAYER_INTERPOLATED, 1, 1, 0, kPasses},
};

}  // namespace

const LayerTraits* find_layer_traits(uint32_t kind) {
  return kind >= 1 && kind <= layer_kind_count() ? &kTraits[kind - 1] : nullptr;
}

uint32_t layer_kind_count() {
  return static_cast<uint32_t>(std::size(kTraits));
}

}  // namespace convoy::graph
