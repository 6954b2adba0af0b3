#pragma once

#include <convoy/abi.h>

namespace convoy::testing {

// Runs any operation but forward and backward with the interpreter's arithmetic, so that results
// have its bits. Throws std::runtime_error when a kernel fails.
void run_fake_operation(const convoy_submission& submission);

}  // namespace convoy::testing
