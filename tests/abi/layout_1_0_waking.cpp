// Written by freeze.py: the layout of convoy/abi/waking.h in version 1.0.
// A change here is a change of the contract. Structs may grow at their end only.
#include "tests/abi/layout.hpp"

CONVOY_GROWS(convoy_device_waking, 32);
CONVOY_AT(convoy_device_waking, struct_size, 0);
CONVOY_AT(convoy_device_waking, advanced, 8);
CONVOY_AT(convoy_device_waking, listen, 16);
CONVOY_AT(convoy_device_waking, forget, 24);
