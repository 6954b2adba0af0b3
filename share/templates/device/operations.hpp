// Everything that plans ask of a device besides layers.
#pragma once

#include <convoy/abi.h>

// Why an operation cannot run here, or null when it can.
const char* refusal_of(const convoy_operation& operation);

// Runs it. Throws std::exception when it fails.
void run_operation(const convoy_submission& operation);
