#pragma once

#include <convoy/abi.h>

namespace convoy::cpu {

// The norm of a gradient, see CONVOY_OP_NORM; squares are added in double, in an order that does
// not depend on the number of threads.
void norm(const convoy_submission& operation);

void adapt_loss_scale(const convoy_submission& operation);

}  // namespace convoy::cpu
