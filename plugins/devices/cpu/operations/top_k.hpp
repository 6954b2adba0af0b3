#pragma once

#include <convoy/abi.h>

namespace convoy::cpu {

// Whose regions fit, see messages_fit(). On the team of the calling thread.
void top_k(const convoy_submission& operation);
void scatter(const convoy_submission& operation);

}  // namespace convoy::cpu
