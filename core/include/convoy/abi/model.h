/* Layers, and the functions that a model provides. The rules are at the top of convoy/abi.h. */
#ifndef CONVOY_ABI_MODEL_H
#define CONVOY_ABI_MODEL_H

#include <convoy/abi/common.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The output of a layer has channels x height x width values for each image of the batch. */
enum convoy_layer_kind {
  CONVOY_LAYER_INPUT = 1, /* added by the host: layer 0 */
  /* Cross-correlation: filters are not mirrored, and padding counts as zeros. */
  CONVOY_LAYER_CONVOLUTION = 2,
  CONVOY_LAYER_FULLY_CONNECTED = 3, /* flattens its input in channel, row, column order */
  /* Normalises every channel by mean and biased variance over batch, rows and columns, then applies
   * gamma (if any) and beta. Each step moves the statistics that inference uses: decay * old + (1 -
   * decay) * new, with the new variance unbiased. */
  CONVOY_LAYER_BATCH_NORM = 4,
  CONVOY_LAYER_RELU = 5,         /* max(x, 0), and at most `limit` if that is not 0 */
  CONVOY_LAYER_MAX_POOL = 6,     /* padding cells are ignored */
  CONVOY_LAYER_AVERAGE_POOL = 7, /* divides by the number of cells that are not padding */
  CONVOY_LAYER_ADD = 8,          /* sum of two inputs of the same shape */
  CONVOY_LAYER_CONCAT = 9,       /* along channels */
  /* In programs with active dropout: with probability `keep` a value is divided by `keep`,
   * otherwise it becomes 0. */
  CONVOY_LAYER_DROPOUT = 10,
  /* x / (offset + alpha * sum of squares of 2 * radius + 1 channels) ^ beta */
  CONVOY_LAYER_LOCAL_RESPONSE_NORM = 11,
  CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY = 12, /* loss: mean over the batch; the last layer */
  CONVOY_LAYER_MEAN_LOSS = 13,             /* loss: mean of all inputs; the last layer */
  /* Zero channels around the input's, half before and half (rounded up) after; no variables. */
  CONVOY_LAYER_PAD_CHANNELS = 14,
  CONVOY_LAYER_SIGMOID = 15, /* 1 / (1 + exp(-x)) */
  CONVOY_LAYER_TANH = 16,
  CONVOY_LAYER_SILU = 17, /* x * sigmoid(x), also called swish */
  CONVOY_LAYER_GELU = 18, /* x * Phi(x), by the error function, not by tanh */
  /* Product of two inputs, cell by cell. The second input may have one cell per channel instead;
   * then it multiplies the whole channel (squeeze and excitation). */
  CONVOY_LAYER_MULTIPLY = 19,
  CONVOY_LAYER_SCALE = 20, /* multiplies every channel by its gamma (layer scale) */
  /* Normalises every cell over its channels by mean and biased variance, then applies gamma (if
   * any) and beta per channel. */
  CONVOY_LAYER_LAYER_NORM = 21,
  /* In programs with active dropout: with probability `keep` all values of an image are divided by
   * `keep`, otherwise all become 0. */
  CONVOY_LAYER_STOCHASTIC_DEPTH = 22,
  /* A learned cell, followed by the input's cells row by row: the output has height 1 + height *
   * width and width 1. */
  CONVOY_LAYER_CLASS_TOKEN = 23,
  CONVOY_LAYER_POSITION =
      24, /* adds a learned value per cell and channel, the same to all images */
  /* Softmax attention of every cell of an image to all its cells. The input's channels are queries,
   * keys and values, a third each. `groups` heads have equal shares of each third. Per head, the
   * result is softmax(Q K^T / sqrt(channels of a head)) V. */
  CONVOY_LAYER_ATTENTION = 25,
  /* Every cell becomes stride_height x stride_width cells: copies, or with INTERPOLATED bilinear
   * interpolation, with cell centres at half-integers and the border repeated outside. */
  CONVOY_LAYER_UPSAMPLE = 26
};

enum convoy_padding {
  CONVOY_PADDING_VALID = 0,
  CONVOY_PADDING_SAME = 1, /* out = ceil(in / stride), the smaller half before */
  CONVOY_PADDING_FIXED = 2 /* stride 1: SAME; else (k-1)/2 before and the rest of k-1 after */
};

enum convoy_initializer_kind {
  CONVOY_INITIALIZE_DEFAULT = 0, /* the layer's usual rule */
  CONVOY_INITIALIZE_CONSTANT = 1,
  /* Normal with the standard deviation `value`, cut at twice that on either side. */
  CONVOY_INITIALIZE_TRUNCATED_NORMAL = 2,
  CONVOY_INITIALIZE_VARIANCE_SCALING =
      3 /* fan-in, truncated normal with variance exactly 1/fan_in */
};

/* frozen */
typedef struct convoy_initializer {
  uint32_t kind;
  uint32_t reserved;
  double value;
} convoy_initializer;

enum convoy_layer_flag {
  CONVOY_LAYER_HAS_BIAS = 1u,    /* convolution, fully connected */
  CONVOY_LAYER_HAS_SCALE = 2u,   /* batch norm, layer norm: gamma exists */
  CONVOY_LAYER_DECAYED = 4u,     /* norms, scale: weight decay applies to gamma and beta too */
  CONVOY_LAYER_INTERPOLATED = 8u /* upsample */
};

/* A layer that a model adds. The host copies it, its name and its inputs. */
typedef struct convoy_layer {
  uint64_t struct_size;
  uint32_t kind;
  uint32_t flags;
  const char* name; /* NULL: the host numbers it by kind, as conv0, bn0, affine0 ... */
  const uint32_t* inputs;
  uint64_t input_count;
  uint32_t channels; /* convolution, fully connected, pad channels: outputs */
  uint32_t groups;   /* convolution; 0 = 1; depthwise = the number of input channels; attention:
                        heads */
  uint32_t kernel_height;
  uint32_t kernel_width;
  uint32_t stride_height;
  uint32_t stride_width;
  uint32_t padding; /* convoy_padding */
  uint32_t radius;  /* local response norm: 2 * radius + 1 channels */
  double epsilon;   /* batch norm, layer norm */
  double decay;     /* batch norm: of the moving statistics */
  double keep;      /* dropout, stochastic depth: probability to keep */
  double limit;     /* relu: upper bound, 0 = none */
  double alpha;     /* local response norm: x / (offset + alpha * sum of squares) ^ beta */
  double beta;
  double offset;
  convoy_initializer weights;
  convoy_initializer bias;
  /* Convolution: dilation, the distance in cells between neighbouring taps of the kernel. Devices
   * always get 0 instead of 1. */
  uint32_t dilation_height; /* 0 = 1 */
  uint32_t dilation_width;  /* 0 = 1 */
} convoy_layer;

enum convoy_rate_rule_kind {
  CONVOY_RATE_CONSTANT = 0,
  CONVOY_RATE_PIECEWISE = 1,
  CONVOY_RATE_STAIRCASE = 2
};

/* frozen. A model's learning-rate rule as data. reserved is 0; fields for later kinds will be
 * appended to convoy_model_info. CONSTANT: base. PIECEWISE: base, times batch / reference_batch if
 * that is not 0 (batch of all replicas), times multipliers[i] of the last boundary_epochs[i] that
 * has passed. The rate rises linearly from 0 during warmup_epochs. STAIRCASE: base, times factor
 * once for every epochs_per_decay epochs that are complete. */
typedef struct convoy_rate_rule {
  uint64_t reserved;
  uint32_t kind;
  uint32_t boundaries;
  double base;
  double reference_batch;
  double warmup_epochs;
  double epochs_per_decay;
  double factor;
  double boundary_epochs[8];
  double multipliers[8];
} convoy_rate_rule;

typedef struct convoy_model_info {
  uint64_t struct_size;
  uint32_t image_size; /* height and width of the input */
  uint32_t batch_size; /* per device, the default */
  const char* dataset; /* "imagenet" or "cifar10"; the plug-in's, valid until destroy */
  convoy_rate_rule rate;
} convoy_model_info;

/* Functions with which a model describes its layers; valid during build(), for one thread at a
 * time. Layer 0 is the input [3, size, size]. */
typedef struct convoy_graph_builder {
  uint64_t struct_size;
  void* self;
  uint32_t classes; /* of the data set: the width of a classifier */
  uint32_t reserved;
  /* Appends a layer; *id is its number, for the inputs of later layers. Non-zero: the host refuses
   * the layer and keeps the reason; the model is then refused, whatever build() returns. */
  int32_t (*add)(void* self, const convoy_layer* layer, uint32_t* id);
  /* Channels, height and width of a layer's output. */
  int32_t (*shape)(void* self, uint32_t id, uint32_t out[3]);
} convoy_graph_builder;

typedef struct convoy_model {
  uint64_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  /* Makes an instance. Its options are fixed from here on. */
  int32_t (*create)(convoy_context* context, const convoy_host* host, void** self);
  void (*destroy)(void* self); /* frees the instance; the last call on it */
  /* The model's defaults. */
  int32_t (*info)(void* self, convoy_context* context, convoy_model_info* out);
  /* Adds the layers in execution order; variables are created in that order. The last layer is a
   * loss. */
  int32_t (*build)(void* self, convoy_context* context, const convoy_graph_builder* builder);
} convoy_model;

/* The type of convoy_model_v1, the entry point. */
typedef const convoy_model* (*convoy_model_entry)(void);

#ifdef __cplusplus
}
#endif

#endif
