// Written by freeze.py: the layout of convoy/abi/model.h in version 1.0 draft.
// A change here is a change of the contract. Structs may grow at their end only.
#include "tests/abi/layout.hpp"

CONVOY_VALUE(CONVOY_LAYER_INPUT, 1);
CONVOY_VALUE(CONVOY_LAYER_CONVOLUTION, 2);
CONVOY_VALUE(CONVOY_LAYER_FULLY_CONNECTED, 3);
CONVOY_VALUE(CONVOY_LAYER_BATCH_NORM, 4);
CONVOY_VALUE(CONVOY_LAYER_RELU, 5);
CONVOY_VALUE(CONVOY_LAYER_MAX_POOL, 6);
CONVOY_VALUE(CONVOY_LAYER_AVERAGE_POOL, 7);
CONVOY_VALUE(CONVOY_LAYER_ADD, 8);
CONVOY_VALUE(CONVOY_LAYER_CONCAT, 9);
CONVOY_VALUE(CONVOY_LAYER_DROPOUT, 10);
CONVOY_VALUE(CONVOY_LAYER_LOCAL_RESPONSE_NORM, 11);
CONVOY_VALUE(CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY, 12);
CONVOY_VALUE(CONVOY_LAYER_MEAN_LOSS, 13);
CONVOY_VALUE(CONVOY_LAYER_PAD_CHANNELS, 14);
CONVOY_VALUE(CONVOY_PADDING_VALID, 0);
CONVOY_VALUE(CONVOY_PADDING_SAME, 1);
CONVOY_VALUE(CONVOY_PADDING_FIXED, 2);
CONVOY_VALUE(CONVOY_INITIALIZE_DEFAULT, 0);
CONVOY_VALUE(CONVOY_INITIALIZE_CONSTANT, 1);
CONVOY_VALUE(CONVOY_INITIALIZE_TRUNCATED_NORMAL, 2);
CONVOY_VALUE(CONVOY_INITIALIZE_VARIANCE_SCALING, 3);
CONVOY_VALUE(CONVOY_LAYER_HAS_BIAS, 1);
CONVOY_VALUE(CONVOY_LAYER_HAS_SCALE, 2);
CONVOY_VALUE(CONVOY_LAYER_DECAYED, 4);
CONVOY_VALUE(CONVOY_RATE_CONSTANT, 0);
CONVOY_VALUE(CONVOY_RATE_PIECEWISE, 1);
CONVOY_VALUE(CONVOY_RATE_STAIRCASE, 2);

CONVOY_FROZEN(convoy_initializer, 16);
CONVOY_AT(convoy_initializer, kind, 0);
CONVOY_AT(convoy_initializer, reserved, 4);
CONVOY_AT(convoy_initializer, value, 8);

CONVOY_GROWS(convoy_layer, 160);
CONVOY_AT(convoy_layer, struct_size, 0);
CONVOY_AT(convoy_layer, kind, 8);
CONVOY_AT(convoy_layer, flags, 12);
CONVOY_AT(convoy_layer, name, 16);
CONVOY_AT(convoy_layer, inputs, 24);
CONVOY_AT(convoy_layer, input_count, 32);
CONVOY_AT(convoy_layer, channels, 40);
CONVOY_AT(convoy_layer, groups, 44);
CONVOY_AT(convoy_layer, kernel_height, 48);
CONVOY_AT(convoy_layer, kernel_width, 52);
CONVOY_AT(convoy_layer, stride_height, 56);
CONVOY_AT(convoy_layer, stride_width, 60);
CONVOY_AT(convoy_layer, padding, 64);
CONVOY_AT(convoy_layer, radius, 68);
CONVOY_AT(convoy_layer, epsilon, 72);
CONVOY_AT(convoy_layer, decay, 80);
CONVOY_AT(convoy_layer, keep, 88);
CONVOY_AT(convoy_layer, limit, 96);
CONVOY_AT(convoy_layer, alpha, 104);
CONVOY_AT(convoy_layer, beta, 112);
CONVOY_AT(convoy_layer, offset, 120);
CONVOY_AT(convoy_layer, weights, 128);
CONVOY_AT(convoy_layer, bias, 144);

CONVOY_FROZEN(convoy_rate_rule, 184);
CONVOY_AT(convoy_rate_rule, reserved, 0);
CONVOY_AT(convoy_rate_rule, kind, 8);
CONVOY_AT(convoy_rate_rule, boundaries, 12);
CONVOY_AT(convoy_rate_rule, base, 16);
CONVOY_AT(convoy_rate_rule, reference_batch, 24);
CONVOY_AT(convoy_rate_rule, warmup_epochs, 32);
CONVOY_AT(convoy_rate_rule, epochs_per_decay, 40);
CONVOY_AT(convoy_rate_rule, factor, 48);
CONVOY_AT(convoy_rate_rule, boundary_epochs, 56);
CONVOY_AT(convoy_rate_rule, multipliers, 120);

CONVOY_GROWS(convoy_model_info, 208);
CONVOY_AT(convoy_model_info, struct_size, 0);
CONVOY_AT(convoy_model_info, image_size, 8);
CONVOY_AT(convoy_model_info, batch_size, 12);
CONVOY_AT(convoy_model_info, dataset, 16);
CONVOY_AT(convoy_model_info, rate, 24);

CONVOY_GROWS(convoy_graph_builder, 40);
CONVOY_AT(convoy_graph_builder, struct_size, 0);
CONVOY_AT(convoy_graph_builder, self, 8);
CONVOY_AT(convoy_graph_builder, classes, 16);
CONVOY_AT(convoy_graph_builder, reserved, 20);
CONVOY_AT(convoy_graph_builder, add, 24);
CONVOY_AT(convoy_graph_builder, shape, 32);

CONVOY_GROWS(convoy_model, 48);
CONVOY_AT(convoy_model, struct_size, 0);
CONVOY_AT(convoy_model, abi_major, 8);
CONVOY_AT(convoy_model, abi_minor, 12);
CONVOY_AT(convoy_model, create, 16);
CONVOY_AT(convoy_model, destroy, 24);
CONVOY_AT(convoy_model, info, 32);
CONVOY_AT(convoy_model, build, 40);
