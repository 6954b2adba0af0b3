// All operations of plans besides layers.
#pragma once

#include <convoy/abi.h>

// Returns why an operation cannot run here, or null when it can.
const char* refusal_of(const convoy_operation& operation);

// Runs the operation. Throws std::exception when it fails.
void run_operation(const convoy_submission& operation);
