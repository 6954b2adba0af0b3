// Written by freeze.py: the layout of convoy/abi/program.h in version 1.0.
// A change here is a change of the contract. Structs may grow at their end only.
#include "tests/abi/layout.hpp"

CONVOY_VALUE(CONVOY_PASS_FORWARD, 0);
CONVOY_VALUE(CONVOY_PASS_BACKWARD_DATA, 1);
CONVOY_VALUE(CONVOY_PASS_BACKWARD_WEIGHTS, 2);
CONVOY_VALUE(CONVOY_PROFILE_KERNEL, 0);
CONVOY_VALUE(CONVOY_PROFILE_HELPER, 1);
CONVOY_VALUE(CONVOY_MEASURE_MULTIPLY, 0);
CONVOY_VALUE(CONVOY_MEASURE_STREAM, 1);
CONVOY_VALUE(CONVOY_MEASURE_MULTIPLY_HALF, 2);

CONVOY_FROZEN(convoy_profile_record, 160);
CONVOY_AT(convoy_profile_record, node, 0);
CONVOY_AT(convoy_profile_record, pass, 4);
CONVOY_AT(convoy_profile_record, role, 8);
CONVOY_AT(convoy_profile_record, reserved, 12);
CONVOY_AT(convoy_profile_record, calls, 16);
CONVOY_AT(convoy_profile_record, seconds, 24);
CONVOY_AT(convoy_profile_record, recent_start, 32);
CONVOY_AT(convoy_profile_record, recent_end, 64);
CONVOY_AT(convoy_profile_record, implementation, 96);

CONVOY_GROWS(convoy_program_memory, 24);
CONVOY_AT(convoy_program_memory, struct_size, 0);
CONVOY_AT(convoy_program_memory, activations, 8);
CONVOY_AT(convoy_program_memory, scratch, 16);
