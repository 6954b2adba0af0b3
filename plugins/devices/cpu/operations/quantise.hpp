#pragma once

#include <convoy/abi.h>

namespace convoy::cpu {

// Whose regions fit, see messages_fit(). On the team of the calling thread.
void quantise(const convoy_submission& operation);
void dequantise(const convoy_submission& operation);

}  // namespace convoy::cpu
