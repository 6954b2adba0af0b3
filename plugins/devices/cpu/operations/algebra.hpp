#pragma once

#include <convoy/abi.h>

namespace convoy::cpu {

// Products, quotients, roots and matrices on regions of f32, on the team of the calling thread; see
// the operations of these names in convoy/abi/operation.h. The regions fit (algebra_fits).
void multiply(const convoy_submission& operation);
void divide(const convoy_submission& operation);
void square_root(const convoy_submission& operation);
void dot(const convoy_submission& operation);
void matmul(const convoy_submission& operation);
void orthogonalise(const convoy_submission& operation);

}  // namespace convoy::cpu
