/* One operation as the host submits it to a device: lane, waits, memory, and the data for layers
 * and updates. The rules are at the top of convoy/abi.h. */
#ifndef CONVOY_ABI_SUBMISSION_H
#define CONVOY_ABI_SUBMISSION_H

#include <convoy/abi/operation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A device with 5 * CONVOY_PRIORITIES lanes or more has these lanes once per priority: lane l + 5 *
 * p runs the operations of lane l that have priority p. Other devices get all priorities in one
 * lane. Lanes of later versions will have numbers from 5 * CONVOY_PRIORITIES on; the host uses only
 * lanes below the number in the device's description. */
enum convoy_lane {
  CONVOY_LANE_COMPUTE = 0,
  CONVOY_LANE_COPY_IN = 1,
  CONVOY_LANE_COPY_OUT = 2,
  CONVOY_LANE_COLLECTIVE = 3,
  CONVOY_LANE_UPDATE = 4
};

enum convoy_optimizer_kind {
  CONVOY_OPTIMIZER_SGD = 0,
  CONVOY_OPTIMIZER_MOMENTUM = 1, /* Nesterov */
  CONVOY_OPTIMIZER_RMSPROP = 2,
  CONVOY_OPTIMIZER_ADAM = 3
};

/* g = gradient_scale * (sum / contributions + weight_decay * w on decayed elements), clamped to
 * +-clip when clip > 0. With a loss scale, sum / contributions is also divided by the loss scale.
 * With a norm above its limit, gradient_scale is also multiplied by limit / norm. Then
 * SGD       w -= lr g
 * MOMENTUM  a = m a + g; w -= lr (g + m a)
 * RMSPROP   r = d r + (1-d) g^2; u = m u + lr g / sqrt(r + epsilon); w -= u
 * ADAM      s = b1 s + (1-b1) g; r = b2 r + (1-b2) g^2;
 *           w -= lr sqrt(1 - b2^t) / (1 - b1^t) * s / (sqrt(r) + epsilon), t = step + 1 */
typedef struct convoy_optimizer {
  uint64_t struct_size;
  uint32_t kind;
  uint32_t state_slots;
  double momentum; /* MOMENTUM, RMSPROP */
  double decay;    /* RMSPROP d */
  double beta1;    /* ADAM */
  double beta2;    /* ADAM */
  double epsilon;  /* RMSPROP, ADAM */
  double weight_decay;
  double clip; /* 0 = off */
  double gradient_scale;
} convoy_optimizer;

/* frozen. Part of an update on which weight decay applies, relative to the span's first element. */
typedef struct convoy_decay_range {
  uint64_t first;
  uint64_t count;
} convoy_decay_range;

/* The parameters of one write of an APPLY, or of a NORM. */
typedef struct convoy_update {
  uint64_t struct_size;
  const convoy_optimizer* optimizer;
  uint64_t contributions;
  float* state[2]; /* at the span's first element; state_slots pointers are set */
  const convoy_decay_range* decayed;
  uint64_t decayed_count;
  /* Receives the sum of w^2 over decayed elements before the update; NULL = not wanted. Only the
   * first update of an operation may have it. */
  double* square_sum;
} convoy_update;

/* The memory that one replica computes with in one step. */
typedef struct convoy_compute {
  uint64_t struct_size;
  void* program;
  uint64_t segment;
  const float* parameters; /* arena base */
  float* gradients;        /* arena base; NULL in FORWARD */
  float* state;            /* batch norm moving statistics of this replica */
  const float* images;     /* [batch, channels, height, width], host memory */
  /* [batch], host memory. -1: the image does not count in loss, hits or gradient, but the mean
   * still divides by the whole batch. */
  const int32_t* labels;
  double* loss;   /* host memory, written by the forward of the loss layer */
  uint64_t* hits; /* host memory: top-1 and top-5 counts, written with the loss */
  /* Factor on the gradient of the loss; NULL = 1. The backward of the loss layer reads it from
   * memory that the device addresses, because other operations change it. The loss itself is not
   * scaled. */
  const float* loss_scale;
} convoy_compute;

/* frozen. A point on a timeline: a 64-bit counter in host memory that only grows. */
typedef struct convoy_wait {
  const uint64_t* timeline;
  uint64_t value;
} convoy_wait;

/* frozen. Filled in by the device when the operation finishes, on the clock of now(). */
typedef struct convoy_timing {
  double start;
  double end;
} convoy_timing;

/* One operation for one lane. A lane runs its operations in order. An operation starts when all its
 * waits hold, and stores value to *timeline (release) when it is done. Until then the host does not
 * change the struct or anything it points to. When an operation fails, wait reports the failure
 * from then on. Operations that have not started are skipped, but their values are still stored, in
 * order, after the device has stopped using their memory. `step` is the training step; of an APPLY
 * it is the number of updates that its elements have had before, which ADAM counts. */
typedef struct convoy_submission {
  uint64_t struct_size;
  uint32_t kind; /* convoy_operation_kind; collectives arrive lowered, but see
                    convoy_device.supports_collectives */
  uint32_t lane; /* convoy_lane, + 5 * priority */
  uint32_t reduction;
  uint32_t urgency; /* smaller runs first when several lanes have a ready operation */
  uint64_t step;
  double learning_rate;
  double scalar;
  const convoy_wait* waits;
  uint64_t wait_count;
  uint64_t* timeline;
  uint64_t value;
  const convoy_region* reads;
  uint64_t read_count;
  const convoy_region* writes;
  uint64_t write_count;
  const uint64_t* sizes;               /* as convoy_operation.sizes */
  const convoy_compute* compute;       /* FORWARD, BACKWARD */
  const convoy_update* const* updates; /* APPLY: one per write; NORM: one */
  uint64_t update_count;
  convoy_host_kernel host_kernel; /* CALL */
  convoy_timing* timing;          /* NULL = not wanted */
  /* Host memory; NULL = not wanted. NORM: the sum of squares. ADAPT_LOSS_SCALE: the previous
   * scale. */
  double* result;
  uint32_t flags;     /* convoy_operation_flag */
  uint32_t operation; /* its number in the lowered plan, for messages */
  /* CALL of a kernel with a context; host_kernel is NULL then. It gets kernel_state and the values
   * of this submission. */
  convoy_kernel_function kernel;
  void* kernel_state;
  /* CALL of a kernel that the device built (convoy_device.build_kernel); host_kernel and kernel are
   * NULL then. */
  void* device_kernel;
  /* A collective over devices of several processes: the group that open_collective_group made, and
   * the rank of the device of every span, of the reads first, then of the writes. The data of other
   * processes' spans is NULL. Both NULL: all devices are of this process. */
  void* collective_group;
  const uint32_t* ranks;
} convoy_submission;

#ifdef __cplusplus
}
#endif

#endif
