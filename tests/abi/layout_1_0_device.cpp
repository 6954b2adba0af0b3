// Written by freeze.py: the layout of convoy/abi/device.h in version 1.0.
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
CONVOY_VALUE(CONVOY_DEVICES_ON_HOST_PROCESSORS, 1);
CONVOY_VALUE(CONVOY_PREFERENCE_NONE, 0);
CONVOY_VALUE(CONVOY_PREFERENCE_PROCESSORS, 100);
CONVOY_VALUE(CONVOY_PREFERENCE_ACCELERATORS, 200);

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

CONVOY_GROWS(convoy_kernel_code, 56);
CONVOY_AT(convoy_kernel_code, struct_size, 0);
CONVOY_AT(convoy_kernel_code, strategy, 8);
CONVOY_AT(convoy_kernel_code, kernel, 16);
CONVOY_AT(convoy_kernel_code, text, 24);
CONVOY_AT(convoy_kernel_code, entry, 32);
CONVOY_AT(convoy_kernel_code, form, 40);
CONVOY_AT(convoy_kernel_code, threads, 44);
CONVOY_AT(convoy_kernel_code, blocks, 48);
CONVOY_AT(convoy_kernel_code, reserved, 52);

CONVOY_GROWS(convoy_device, 216);
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
CONVOY_AT(convoy_device, supports_collectives, 176);
CONVOY_AT(convoy_device, traits, 184);
CONVOY_AT(convoy_device, preference, 188);
CONVOY_AT(convoy_device, kernel_forms, 192);
CONVOY_AT(convoy_device, reserved, 196);
CONVOY_AT(convoy_device, build_kernel, 200);
CONVOY_AT(convoy_device, free_kernel, 208);
