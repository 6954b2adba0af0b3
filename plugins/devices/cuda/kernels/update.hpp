#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"
#include "plugins/devices/shared/rule_constants.hpp"

namespace convoy::cuda {

// Consecutive elements of an update, all with or all without weight decay.
struct UpdateBlock {
  std::uint64_t first;
  std::uint32_t count;
  std::uint32_t decayed;
};

// Scalars in device memory that guard an update; null = none.
struct UpdateGuard {
  const float* loss_scale;
  const float* norm;
  double limit;  // limit of the norm, 0 = none
  bool skip_non_finite;
};

struct Update {
  RuleConstants constants;
  UpdateGuard guard;
  const float* learning_rate;  // in device memory; null = the constant
  float* parameters;  // of a norm: read only, null = without weight decay and gradient scale
  const float* gradient;
  float* state[2];
  const UpdateBlock* blocks;  // device memory
  std::uint32_t block_count;
  double* partial;  // block_count doubles of device memory, for sums; null if none is wanted
};

// Runs the optimizer over all blocks in one launch. partial: the sum of w^2 of every decayed block
// before the update. result (host memory that the device addresses) gets their sum.
void update(Stream stream, const Update& what, double* result);

// write <- the norm of the gradient; result (may be null) <- its square. See CONVOY_OP_NORM.
void norm(Stream stream, const Update& what, float* write, double* result);

}  // namespace convoy::cuda
