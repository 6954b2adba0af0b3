// Written by freeze.py: the layout of convoy/abi/cuda_call.h in version 1.0.
// A change here is a change of the contract. Structs may grow at their end only.
#include "tests/abi/layout.hpp"

CONVOY_FROZEN(convoy_cuda_span, 24);
CONVOY_AT(convoy_cuda_span, data, 0);
CONVOY_AT(convoy_cuda_span, count, 8);
CONVOY_AT(convoy_cuda_span, dtype, 16);
CONVOY_AT(convoy_cuda_span, place, 20);

CONVOY_FROZEN(convoy_cuda_call, 3176);
CONVOY_AT(convoy_cuda_call, step, 0);
CONVOY_AT(convoy_cuda_call, learning_rate, 8);
CONVOY_AT(convoy_cuda_call, scalar, 16);
CONVOY_AT(convoy_cuda_call, sizes, 24);
CONVOY_AT(convoy_cuda_call, read_count, 56);
CONVOY_AT(convoy_cuda_call, write_count, 64);
CONVOY_AT(convoy_cuda_call, reserved, 72);
CONVOY_AT(convoy_cuda_call, spans, 104);
