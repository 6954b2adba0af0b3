// The optimizer, and its guards: norms of gradients and the loss scale.
#pragma once

#include <convoy/abi.h>

inline float* floats(const convoy_region& region) {
  return static_cast<float*>(region.data);
}

void apply(const convoy_submission& operation);
void norm(const convoy_submission& operation);
void adapt_loss_scale(const convoy_submission& operation);
