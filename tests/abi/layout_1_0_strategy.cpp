// Written by freeze.py: the layout of convoy/abi/strategy.h in version 1.0.
// A change here is a change of the contract. Structs may grow at their end only.
#include "tests/abi/layout.hpp"

CONVOY_VALUE(CONVOY_PLACE_DEVICE, 1);
CONVOY_VALUE(CONVOY_PLACE_HOST, 2);
CONVOY_VALUE(CONVOY_VARIABLE_UNKNOWN, 0);
CONVOY_VALUE(CONVOY_VARIABLE_WEIGHTS, 1);
CONVOY_VALUE(CONVOY_VARIABLE_OFFSETS, 2);
CONVOY_VALUE(CONVOY_VARIABLE_SCALES, 3);
CONVOY_VALUE(CONVOY_VARIABLE_VALUES, 4);
CONVOY_VALUE(CONVOY_ROUTE_UNKNOWN, 0);
CONVOY_VALUE(CONVOY_ROUTE_SAME_MEMORY, 1);
CONVOY_VALUE(CONVOY_ROUTE_SHARED_MEMORY, 2);
CONVOY_VALUE(CONVOY_ROUTE_NVLINK, 3);
CONVOY_VALUE(CONVOY_ROUTE_PCIE_SWITCH, 4);
CONVOY_VALUE(CONVOY_ROUTE_PCIE_HOST_BRIDGE, 5);
CONVOY_VALUE(CONVOY_ROUTE_SOCKET, 6);
CONVOY_VALUE(CONVOY_ROUTE_NETWORK, 7);
CONVOY_VALUE(CONVOY_SHARES_HOST, 1);
CONVOY_VALUE(CONVOY_SHARES_NUMA, 2);
CONVOY_VALUE(CONVOY_SHARES_SWITCH, 3);
CONVOY_VALUE(CONVOY_SHARES_NVLINK, 4);
CONVOY_VALUE(CONVOY_SECTION_PROLOGUE, 0);
CONVOY_VALUE(CONVOY_SECTION_BODY, 1);
CONVOY_VALUE(CONVOY_KERNEL_HOST, 1);
CONVOY_VALUE(CONVOY_KERNEL_CUDA_SOURCE, 2);
CONVOY_VALUE(CONVOY_KERNEL_PTX, 3);

CONVOY_GROWS(convoy_cluster, 40);
CONVOY_AT(convoy_cluster, struct_size, 0);
CONVOY_AT(convoy_cluster, hosts, 8);
CONVOY_AT(convoy_cluster, places, 12);
CONVOY_AT(convoy_cluster, replicas, 16);
CONVOY_AT(convoy_cluster, variables, 20);
CONVOY_AT(convoy_cluster, buckets, 24);
CONVOY_AT(convoy_cluster, reserved, 28);
CONVOY_AT(convoy_cluster, arena_elements, 32);

CONVOY_GROWS(convoy_place, 32);
CONVOY_AT(convoy_place, struct_size, 0);
CONVOY_AT(convoy_place, kind, 8);
CONVOY_AT(convoy_place, host, 12);
CONVOY_AT(convoy_place, replica, 16);
CONVOY_AT(convoy_place, near_place, 20);
CONVOY_AT(convoy_place, name, 24);

CONVOY_GROWS(convoy_variable, 104);
CONVOY_AT(convoy_variable, struct_size, 0);
CONVOY_AT(convoy_variable, range, 8);
CONVOY_AT(convoy_variable, elements, 24);
CONVOY_AT(convoy_variable, layer, 32);
CONVOY_AT(convoy_variable, name, 40);
CONVOY_AT(convoy_variable, kind, 48);
CONVOY_AT(convoy_variable, rank, 52);
CONVOY_AT(convoy_variable, dimensions, 56);
CONVOY_AT(convoy_variable, matrix_rows, 88);
CONVOY_AT(convoy_variable, matrix_columns, 96);

CONVOY_GROWS(convoy_route, 32);
CONVOY_AT(convoy_route, struct_size, 0);
CONVOY_AT(convoy_route, kind, 8);
CONVOY_AT(convoy_route, peer_access, 12);
CONVOY_AT(convoy_route, bytes_per_second, 16);
CONVOY_AT(convoy_route, shared_group, 24);
CONVOY_AT(convoy_route, reserved, 28);

CONVOY_GROWS(convoy_planner, 112);
CONVOY_AT(convoy_planner, struct_size, 0);
CONVOY_AT(convoy_planner, self, 8);
CONVOY_AT(convoy_planner, cluster, 16);
CONVOY_AT(convoy_planner, place, 24);
CONVOY_AT(convoy_planner, replica_place, 32);
CONVOY_AT(convoy_planner, route, 40);
CONVOY_AT(convoy_planner, variable, 48);
CONVOY_AT(convoy_planner, bucket, 56);
CONVOY_AT(convoy_planner, buffer, 64);
CONVOY_AT(convoy_planner, section, 72);
CONVOY_AT(convoy_planner, emit, 80);
CONVOY_AT(convoy_planner, name_buffer, 88);
CONVOY_AT(convoy_planner, group, 96);
CONVOY_AT(convoy_planner, stage, 104);

CONVOY_GROWS(convoy_kernel, 56);
CONVOY_AT(convoy_kernel, struct_size, 0);
CONVOY_AT(convoy_kernel, function, 8);
CONVOY_AT(convoy_kernel, text, 16);
CONVOY_AT(convoy_kernel, run, 24);
CONVOY_AT(convoy_kernel, state, 32);
CONVOY_AT(convoy_kernel, entry, 40);
CONVOY_AT(convoy_kernel, threads, 48);
CONVOY_AT(convoy_kernel, blocks, 52);

CONVOY_GROWS(convoy_strategy, 48);
CONVOY_AT(convoy_strategy, struct_size, 0);
CONVOY_AT(convoy_strategy, abi_major, 8);
CONVOY_AT(convoy_strategy, abi_minor, 12);
CONVOY_AT(convoy_strategy, create, 16);
CONVOY_AT(convoy_strategy, destroy, 24);
CONVOY_AT(convoy_strategy, plan, 32);
CONVOY_AT(convoy_strategy, kernel, 40);
