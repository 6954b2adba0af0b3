// Written by freeze.py: the layout of convoy/abi/submission.h in version 1.0.
// A change here is a change of the contract. Structs may grow at their end only.
#include "tests/abi/layout.hpp"

CONVOY_VALUE(CONVOY_LANE_COMPUTE, 0);
CONVOY_VALUE(CONVOY_LANE_COPY_IN, 1);
CONVOY_VALUE(CONVOY_LANE_COPY_OUT, 2);
CONVOY_VALUE(CONVOY_LANE_COLLECTIVE, 3);
CONVOY_VALUE(CONVOY_LANE_UPDATE, 4);
CONVOY_VALUE(CONVOY_OPTIMIZER_SGD, 0);
CONVOY_VALUE(CONVOY_OPTIMIZER_MOMENTUM, 1);
CONVOY_VALUE(CONVOY_OPTIMIZER_RMSPROP, 2);
CONVOY_VALUE(CONVOY_OPTIMIZER_ADAM, 3);

CONVOY_GROWS(convoy_optimizer, 80);
CONVOY_AT(convoy_optimizer, struct_size, 0);
CONVOY_AT(convoy_optimizer, kind, 8);
CONVOY_AT(convoy_optimizer, state_slots, 12);
CONVOY_AT(convoy_optimizer, momentum, 16);
CONVOY_AT(convoy_optimizer, decay, 24);
CONVOY_AT(convoy_optimizer, beta1, 32);
CONVOY_AT(convoy_optimizer, beta2, 40);
CONVOY_AT(convoy_optimizer, epsilon, 48);
CONVOY_AT(convoy_optimizer, weight_decay, 56);
CONVOY_AT(convoy_optimizer, clip, 64);
CONVOY_AT(convoy_optimizer, gradient_scale, 72);

CONVOY_FROZEN(convoy_decay_range, 16);
CONVOY_AT(convoy_decay_range, first, 0);
CONVOY_AT(convoy_decay_range, count, 8);

CONVOY_GROWS(convoy_update, 64);
CONVOY_AT(convoy_update, struct_size, 0);
CONVOY_AT(convoy_update, optimizer, 8);
CONVOY_AT(convoy_update, contributions, 16);
CONVOY_AT(convoy_update, state, 24);
CONVOY_AT(convoy_update, decayed, 40);
CONVOY_AT(convoy_update, decayed_count, 48);
CONVOY_AT(convoy_update, square_sum, 56);

CONVOY_GROWS(convoy_compute, 88);
CONVOY_AT(convoy_compute, struct_size, 0);
CONVOY_AT(convoy_compute, program, 8);
CONVOY_AT(convoy_compute, segment, 16);
CONVOY_AT(convoy_compute, parameters, 24);
CONVOY_AT(convoy_compute, gradients, 32);
CONVOY_AT(convoy_compute, state, 40);
CONVOY_AT(convoy_compute, images, 48);
CONVOY_AT(convoy_compute, labels, 56);
CONVOY_AT(convoy_compute, loss, 64);
CONVOY_AT(convoy_compute, hits, 72);
CONVOY_AT(convoy_compute, loss_scale, 80);

CONVOY_FROZEN(convoy_wait, 16);
CONVOY_AT(convoy_wait, timeline, 0);
CONVOY_AT(convoy_wait, value, 8);

CONVOY_FROZEN(convoy_timing, 16);
CONVOY_AT(convoy_timing, start, 0);
CONVOY_AT(convoy_timing, end, 8);

CONVOY_GROWS(convoy_submission, 200);
CONVOY_AT(convoy_submission, struct_size, 0);
CONVOY_AT(convoy_submission, kind, 8);
CONVOY_AT(convoy_submission, lane, 12);
CONVOY_AT(convoy_submission, reduction, 16);
CONVOY_AT(convoy_submission, urgency, 20);
CONVOY_AT(convoy_submission, step, 24);
CONVOY_AT(convoy_submission, learning_rate, 32);
CONVOY_AT(convoy_submission, scalar, 40);
CONVOY_AT(convoy_submission, waits, 48);
CONVOY_AT(convoy_submission, wait_count, 56);
CONVOY_AT(convoy_submission, timeline, 64);
CONVOY_AT(convoy_submission, value, 72);
CONVOY_AT(convoy_submission, reads, 80);
CONVOY_AT(convoy_submission, read_count, 88);
CONVOY_AT(convoy_submission, writes, 96);
CONVOY_AT(convoy_submission, write_count, 104);
CONVOY_AT(convoy_submission, sizes, 112);
CONVOY_AT(convoy_submission, compute, 120);
CONVOY_AT(convoy_submission, updates, 128);
CONVOY_AT(convoy_submission, update_count, 136);
CONVOY_AT(convoy_submission, host_kernel, 144);
CONVOY_AT(convoy_submission, timing, 152);
CONVOY_AT(convoy_submission, result, 160);
CONVOY_AT(convoy_submission, flags, 168);
CONVOY_AT(convoy_submission, operation, 172);
CONVOY_AT(convoy_submission, kernel, 176);
CONVOY_AT(convoy_submission, kernel_state, 184);
CONVOY_AT(convoy_submission, device_kernel, 192);
