// Written by freeze.py: the layout of convoy/abi/operation.h in version 1.0 draft.
// A change here is a change of the contract. Structs may grow at their end only.
#include "tests/abi/layout.hpp"

CONVOY_VALUE(CONVOY_OP_COPY, 1);
CONVOY_VALUE(CONVOY_OP_FILL, 2);
CONVOY_VALUE(CONVOY_OP_ADD, 3);
CONVOY_VALUE(CONVOY_OP_SUM, 4);
CONVOY_VALUE(CONVOY_OP_SCALE, 5);
CONVOY_VALUE(CONVOY_OP_AXPY, 6);
CONVOY_VALUE(CONVOY_OP_CAST, 7);
CONVOY_VALUE(CONVOY_OP_MATMUL, 8);
CONVOY_VALUE(CONVOY_OP_ALL_REDUCE, 9);
CONVOY_VALUE(CONVOY_OP_REDUCE_SCATTER, 10);
CONVOY_VALUE(CONVOY_OP_ALL_GATHER, 11);
CONVOY_VALUE(CONVOY_OP_BROADCAST, 12);
CONVOY_VALUE(CONVOY_OP_REDUCE, 13);
CONVOY_VALUE(CONVOY_OP_APPLY, 14);
CONVOY_VALUE(CONVOY_OP_CALL, 15);
CONVOY_VALUE(CONVOY_OP_FORWARD, 16);
CONVOY_VALUE(CONVOY_OP_BACKWARD, 17);
CONVOY_VALUE(CONVOY_OP_NORM, 18);
CONVOY_VALUE(CONVOY_OP_ADAPT_LOSS_SCALE, 19);
CONVOY_VALUE(CONVOY_REDUCE_SUM, 0);
CONVOY_VALUE(CONVOY_REDUCE_MIN, 1);
CONVOY_VALUE(CONVOY_REDUCE_MAX, 2);
CONVOY_VALUE(CONVOY_ALGORITHM_DEVICE, 0);
CONVOY_VALUE(CONVOY_ALGORITHM_RING, 1);
CONVOY_VALUE(CONVOY_ALGORITHM_TREE, 2);
CONVOY_VALUE(CONVOY_ALGORITHM_DIRECT, 3);
CONVOY_VALUE(CONVOY_ALGORITHM_TWO_LEVEL, 4);
CONVOY_VALUE(CONVOY_ALGORITHM_DEVICE_ONLY, 5);
CONVOY_VALUE(CONVOY_OP_RELAXED_READS, 1);
CONVOY_VALUE(CONVOY_OP_ANY_ORDER, 2);
CONVOY_VALUE(CONVOY_OP_LOSS_SCALED, 4);
CONVOY_VALUE(CONVOY_OP_NORMED, 8);
CONVOY_VALUE(CONVOY_OP_SKIP_NON_FINITE, 16);
CONVOY_VALUE(CONVOY_BUFFER_PARAMETERS, 1);
CONVOY_VALUE(CONVOY_BUFFER_GRADIENT, 2);
CONVOY_VALUE(CONVOY_BUFFER_MASTER, 3);
CONVOY_VALUE(CONVOY_BUFFER_SCRATCH, 4);
CONVOY_VALUE(CONVOY_BUFFER_PERSISTENT, 5);

CONVOY_FROZEN(convoy_range, 16);
CONVOY_AT(convoy_range, first, 0);
CONVOY_AT(convoy_range, count, 8);

CONVOY_FROZEN(convoy_span, 24);
CONVOY_AT(convoy_span, buffer, 0);
CONVOY_AT(convoy_span, dtype, 4);
CONVOY_AT(convoy_span, first, 8);
CONVOY_AT(convoy_span, count, 16);

CONVOY_FROZEN(convoy_buffer, 24);
CONVOY_AT(convoy_buffer, kind, 0);
CONVOY_AT(convoy_buffer, owner, 4);
CONVOY_AT(convoy_buffer, set, 8);
CONVOY_AT(convoy_buffer, dtype, 12);
CONVOY_AT(convoy_buffer, count, 16);

CONVOY_GROWS(convoy_operation, 160);
CONVOY_AT(convoy_operation, struct_size, 0);
CONVOY_AT(convoy_operation, kind, 8);
CONVOY_AT(convoy_operation, flags, 12);
CONVOY_AT(convoy_operation, place, 16);
CONVOY_AT(convoy_operation, reduction, 20);
CONVOY_AT(convoy_operation, algorithm, 24);
CONVOY_AT(convoy_operation, replica, 28);
CONVOY_AT(convoy_operation, reads, 32);
CONVOY_AT(convoy_operation, read_count, 40);
CONVOY_AT(convoy_operation, writes, 48);
CONVOY_AT(convoy_operation, write_count, 56);
CONVOY_AT(convoy_operation, scalar, 64);
CONVOY_AT(convoy_operation, contributions, 72);
CONVOY_AT(convoy_operation, max_lag, 80);
CONVOY_AT(convoy_operation, first_layer, 88);
CONVOY_AT(convoy_operation, layer_count, 96);
CONVOY_AT(convoy_operation, sizes, 104);
CONVOY_AT(convoy_operation, kernel, 136);
CONVOY_AT(convoy_operation, bytes, 144);
CONVOY_AT(convoy_operation, flops, 152);

CONVOY_FROZEN(convoy_region, 24);
CONVOY_AT(convoy_region, data, 0);
CONVOY_AT(convoy_region, count, 8);
CONVOY_AT(convoy_region, dtype, 16);
CONVOY_AT(convoy_region, place, 20);
