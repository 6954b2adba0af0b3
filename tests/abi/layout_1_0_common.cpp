// Written by freeze.py: the layout of convoy/abi/common.h in version 1.0.
// A change here is a change of the contract. Structs may grow at their end only.
#include "tests/abi/layout.hpp"

CONVOY_VALUE(CONVOY_OK, 0);
CONVOY_VALUE(CONVOY_FAILED, 1);
CONVOY_VALUE(CONVOY_REFUSED, 2);
CONVOY_VALUE(CONVOY_TIMED_OUT, 3);
CONVOY_VALUE(CONVOY_LOG_DEBUG, 0);
CONVOY_VALUE(CONVOY_LOG_INFO, 1);
CONVOY_VALUE(CONVOY_LOG_WARNING, 2);
CONVOY_VALUE(CONVOY_F32, 0);
CONVOY_VALUE(CONVOY_F16, 1);
CONVOY_VALUE(CONVOY_BF16, 2);
CONVOY_VALUE(CONVOY_I32, 3);
CONVOY_VALUE(CONVOY_U8, 4);

CONVOY_GROWS(convoy_host, 32);
CONVOY_AT(convoy_host, struct_size, 0);
CONVOY_AT(convoy_host, set_error, 8);
CONVOY_AT(convoy_host, log, 16);
CONVOY_AT(convoy_host, option, 24);
