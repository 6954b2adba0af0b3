#pragma once

#include <convoy/abi.h>

namespace convoy::cpu {

// One optimizer step on the parameters in write 0 with the gradient sum in read 0, in f32; the sum
// of squares is taken in double, in an order that does not depend on the number of threads.
void apply(const convoy_submission& operation);

}  // namespace convoy::cpu
