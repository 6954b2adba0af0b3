#pragma once

#include <convoy/abi.h>

// The operations that are more than a loop over their elements. They run on the team of the calling
// thread. convoy/abi/operation.h defines what each computes. The regions fit: see regions_fit() in
// plugins/devices/shared/operation_rules.hpp.
namespace convoy::cpu {

// Applies one optimizer step to the parameters in write 0 with the gradient sum in read 0, in f32.
// The sum of squares is computed in double, in an order that does not depend on the number of
// threads.
void apply(const convoy_submission& operation);

// Squares are added in double, in an order that does not depend on the number of threads.
void norm(const convoy_submission& operation);
void adapt_loss_scale(const convoy_submission& operation);

// write <- read in the write's dtype, rounded to nearest even. Between the two 16-bit types the
// value passes through f32. The regions must not overlap unless they are the same and of one dtype.
void cast(const convoy_region& read, const convoy_region& write);

void multiply(const convoy_submission& operation);
void divide(const convoy_submission& operation);
void square_root(const convoy_submission& operation);
void dot(const convoy_submission& operation);
void matmul(const convoy_submission& operation);
void orthogonalise(const convoy_submission& operation);

void top_k(const convoy_submission& operation);
void scatter(const convoy_submission& operation);
void quantise(const convoy_submission& operation);
void dequantise(const convoy_submission& operation);

}  // namespace convoy::cpu
