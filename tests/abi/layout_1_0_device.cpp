// Written by freeze.py: the layout of convoy/abi/device.h as released in version 1.0.
// A change here is a change of the contract. Structs may grow at their end only.
#include "tests/abi/layout.hpp"

CONVOY_VALUE(CONVOY_COMPILE_DROPOUT, 1);
CONVOY_VALUE(CONVOY_COMPILE_ACCURACY, 2);
CONVOY_VALUE(CONVOY_COMPILE_INFERENCE, 4);
CONVOY_VALUE(CONVOY_COMPILE_DIRECT_CONVOLUTIONS, 8);
CONVOY_VALUE(CONVOY_COMPILE_PROFILE, 16);
CONVOY_VALUE(CONVOY_DEVICE_SHARES_HOST_MEMORY, 1);
CONVOY_VALUE(CONVOY_DEVICE_DETERMINISTIC, 2);
CONVOY_VALUE(CONVOY_DEVICE_EMULATES_HALF, 4);
CONVOY_VALUE(CONVOY_DEVICE_JOINS_UPDATES, 8);
CONVOY_VALUE(CONVOY_LANE_COMPUTE, 0);
CONVOY_VALUE(CONVOY_LANE_COPY_IN, 1);
CONVOY_VALUE(CONVOY_LANE_COPY_OUT, 2);
CONVOY_VALUE(CONVOY_LANE_COLLECTIVE, 3);
CONVOY_VALUE(CONVOY_LANE_UPDATE, 4);
CONVOY_VALUE(CONVOY_OPTIMIZER_SGD, 0);
CONVOY_VALUE(CONVOY_OPTIMIZER_MOMENTUM, 1);
CONVOY_VALUE(CONVOY_OPTIMIZER_RMSPROP, 2);
CONVOY_VALUE(CONVOY_OPTIMIZER_ADAM, 3);

CONVOY_GROWS(convoy_node, 64);
CONVOY_AT(convoy_node, struct_size, 0);
CONVOY_AT(convoy_node, layer, 8);
CONVOY_AT(convoy_node, channels, 16);
CONVOY_AT(convoy_node, height, 20);
CONVOY_AT(convoy_node, width, 24);
CONVOY_AT(convoy_node, pad_top, 28);
CONVOY_AT(convoy_node, pad_bottom, 32);
CONVOY_AT(convoy_node, pad_left, 36);
CONVOY_AT(convoy_node, pad_right, 40);
CONVOY_AT(convoy_node, variables, 44);
CONVOY_AT(convoy_node, segment, 52);
CONVOY_AT(convoy_node, state_first, 56);

CONVOY_FROZEN(convoy_layout, 112);
CONVOY_AT(convoy_layout, rank, 0);
CONVOY_AT(convoy_layout, inner_blocks, 4);
CONVOY_AT(convoy_layout, inner_dimension, 8);
CONVOY_AT(convoy_layout, inner_size, 24);
CONVOY_AT(convoy_layout, padded, 40);
CONVOY_AT(convoy_layout, strides, 72);
CONVOY_AT(convoy_layout, elements, 104);

CONVOY_GROWS(convoy_graph_variable, 184);
CONVOY_AT(convoy_graph_variable, struct_size, 0);
CONVOY_AT(convoy_graph_variable, name, 8);
CONVOY_AT(convoy_graph_variable, rank, 16);
CONVOY_AT(convoy_graph_variable, decayed, 20);
CONVOY_AT(convoy_graph_variable, dimensions, 24);
CONVOY_AT(convoy_graph_variable, elements, 56);
CONVOY_AT(convoy_graph_variable, arena_first, 64);
CONVOY_AT(convoy_graph_variable, layout, 72);

CONVOY_GROWS(convoy_graph, 64);
CONVOY_AT(convoy_graph, struct_size, 0);
CONVOY_AT(convoy_graph, nodes, 8);
CONVOY_AT(convoy_graph, node_count, 16);
CONVOY_AT(convoy_graph, variables, 24);
CONVOY_AT(convoy_graph, variable_count, 32);
CONVOY_AT(convoy_graph, arena_elements, 40);
CONVOY_AT(convoy_graph, state_elements, 48);
CONVOY_AT(convoy_graph, segment_count, 56);

CONVOY_GROWS(convoy_compilation, 48);
CONVOY_AT(convoy_compilation, struct_size, 0);
CONVOY_AT(convoy_compilation, graph, 8);
CONVOY_AT(convoy_compilation, batch, 16);
CONVOY_AT(convoy_compilation, flags, 20);
CONVOY_AT(convoy_compilation, replica, 24);
CONVOY_AT(convoy_compilation, replicas, 28);
CONVOY_AT(convoy_compilation, seed, 32);
CONVOY_AT(convoy_compilation, dtype, 40);
CONVOY_AT(convoy_compilation, reserved, 44);

CONVOY_GROWS(convoy_device_request, 16);
CONVOY_AT(convoy_device_request, struct_size, 0);
CONVOY_AT(convoy_device_request, devices, 8);
CONVOY_AT(convoy_device_request, threads, 12);

CONVOY_GROWS(convoy_device_description, 488);
CONVOY_AT(convoy_device_description, struct_size, 0);
CONVOY_AT(convoy_device_description, flags, 8);
CONVOY_AT(convoy_device_description, threads, 12);
CONVOY_AT(convoy_device_description, numa_node, 16);
CONVOY_AT(convoy_device_description, lanes, 20);
CONVOY_AT(convoy_device_description, memory_bytes, 24);
CONVOY_AT(convoy_device_description, name, 32);
CONVOY_AT(convoy_device_description, model, 96);
CONVOY_AT(convoy_device_description, locality, 224);
CONVOY_AT(convoy_device_description, half_dtype, 480);
CONVOY_AT(convoy_device_description, reserved, 484);

CONVOY_GROWS(convoy_optimizer, 80);
CONVOY_AT(convoy_optimizer, struct_size, 0);
CONVOY_AT(convoy_optimizer, kind, 8);
CONVOY_AT(convoy_optimizer, state_slots, 12);
CONVOY_AT(convoy_optimizer, momentum, 16);
CONVOY_AT(convoy_optimizer, decay, 24);
CONVOY_AT(convoy_optimizer, beta1, 32);
CONVOY_AT(convoy_optimizer, beta2, 40);
CONVOY_AT(convoy_optimizer, epsilon, 48);
CONVOY_AT(convoy_optimizer, weight_decay, 56);
CONVOY_AT(convoy_optimizer, clip, 64);
CONVOY_AT(convoy_optimizer, gradient_scale, 72);

CONVOY_FROZEN(convoy_decay_range, 16);
CONVOY_AT(convoy_decay_range, first, 0);
CONVOY_AT(convoy_decay_range, count, 8);

CONVOY_GROWS(convoy_update, 64);
CONVOY_AT(convoy_update, struct_size, 0);
CONVOY_AT(convoy_update, optimizer, 8);
CONVOY_AT(convoy_update, contributions, 16);
CONVOY_AT(convoy_update, state, 24);
CONVOY_AT(convoy_update, decayed, 40);
CONVOY_AT(convoy_update, decayed_count, 48);
CONVOY_AT(convoy_update, square_sum, 56);

CONVOY_GROWS(convoy_compute, 88);
CONVOY_AT(convoy_compute, struct_size, 0);
CONVOY_AT(convoy_compute, program, 8);
CONVOY_AT(convoy_compute, segment, 16);
CONVOY_AT(convoy_compute, parameters, 24);
CONVOY_AT(convoy_compute, gradients, 32);
CONVOY_AT(convoy_compute, state, 40);
CONVOY_AT(convoy_compute, images, 48);
CONVOY_AT(convoy_compute, labels, 56);
CONVOY_AT(convoy_compute, loss, 64);
CONVOY_AT(convoy_compute, hits, 72);
CONVOY_AT(convoy_compute, loss_scale, 80);

CONVOY_FROZEN(convoy_wait, 16);
CONVOY_AT(convoy_wait, timeline, 0);
CONVOY_AT(convoy_wait, value, 8);

CONVOY_FROZEN(convoy_timing, 16);
CONVOY_AT(convoy_timing, start, 0);
CONVOY_AT(convoy_timing, end, 8);

CONVOY_GROWS(convoy_submission, 168);
CONVOY_AT(convoy_submission, struct_size, 0);
CONVOY_AT(convoy_submission, kind, 8);
CONVOY_AT(convoy_submission, lane, 12);
CONVOY_AT(convoy_submission, reduction, 16);
CONVOY_AT(convoy_submission, urgency, 20);
CONVOY_AT(convoy_submission, step, 24);
CONVOY_AT(convoy_submission, learning_rate, 32);
CONVOY_AT(convoy_submission, scalar, 40);
CONVOY_AT(convoy_submission, waits, 48);
CONVOY_AT(convoy_submission, wait_count, 56);
CONVOY_AT(convoy_submission, timeline, 64);
CONVOY_AT(convoy_submission, value, 72);
CONVOY_AT(convoy_submission, reads, 80);
CONVOY_AT(convoy_submission, read_count, 88);
CONVOY_AT(convoy_submission, writes, 96);
CONVOY_AT(convoy_submission, write_count, 104);
CONVOY_AT(convoy_submission, sizes, 112);
CONVOY_AT(convoy_submission, compute, 120);
CONVOY_AT(convoy_submission, update, 128);
CONVOY_AT(convoy_submission, host_kernel, 136);
CONVOY_AT(convoy_submission, timing, 144);
CONVOY_AT(convoy_submission, result, 152);
CONVOY_AT(convoy_submission, flags, 160);
CONVOY_AT(convoy_submission, operation, 164);

CONVOY_GROWS(convoy_device, 184);
CONVOY_AT(convoy_device, struct_size, 0);
CONVOY_AT(convoy_device, abi_major, 8);
CONVOY_AT(convoy_device, abi_minor, 12);
CONVOY_AT(convoy_device, count, 16);
CONVOY_AT(convoy_device, open, 24);
CONVOY_AT(convoy_device, close, 32);
CONVOY_AT(convoy_device, describe, 40);
CONVOY_AT(convoy_device, propose_layout, 48);
CONVOY_AT(convoy_device, compile, 56);
CONVOY_AT(convoy_device, release, 64);
CONVOY_AT(convoy_device, allocate, 72);
CONVOY_AT(convoy_device, deallocate, 80);
CONVOY_AT(convoy_device, write, 88);
CONVOY_AT(convoy_device, read, 96);
CONVOY_AT(convoy_device, supports, 104);
CONVOY_AT(convoy_device, submit, 112);
CONVOY_AT(convoy_device, wait, 120);
CONVOY_AT(convoy_device, now, 128);
CONVOY_AT(convoy_device, profile, 136);
CONVOY_AT(convoy_device, measure, 144);
CONVOY_AT(convoy_device, program_memory, 152);
CONVOY_AT(convoy_device, allocate_host, 160);
CONVOY_AT(convoy_device, reaches, 168);
CONVOY_AT(convoy_device, unite, 176);
