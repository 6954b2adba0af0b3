/* Plans as data: spans of named buffers and the operations on them. The rules are at the top of
 * convoy/abi.h. */
#ifndef CONVOY_ABI_OPERATION_H
#define CONVOY_ABI_OPERATION_H

#include <convoy/abi/common.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Operations. Reads and writes are spans, in the order given here; all spans of one operation have
 * the same count unless stated. New operations get new values. */
enum convoy_operation_kind {
  CONVOY_OP_COPY = 1,  /* write <- read; any two places */
  CONVOY_OP_FILL = 2,  /* write <- scalar */
  CONVOY_OP_ADD = 3,   /* write <- read 0 + read 1 */
  CONVOY_OP_SUM = 4,   /* every write <- reduction over all reads (1 to 1048576) */
  CONVOY_OP_SCALE = 5, /* write <- scalar * read */
  CONVOY_OP_AXPY = 6,  /* write <- scalar * read 0 + read 1 */
  CONVOY_OP_CAST = 7,  /* write <- read, converted to the write's dtype */
  /* write[m,n] <- read 0[m,k] * read 1[k,n], by rows; sizes[0..2] = m, n, k. sizes[3] = number of
   * products, whose matrices follow each other in all three spans; 0 means one.
   * CONVOY_OP_TRANSPOSES_A and _B: read 0 is stored [k,m], read 1 [n,k]. The write must not be one
   * of the reads. */
  CONVOY_OP_MATMUL = 8,
  CONVOY_OP_ALL_REDUCE = 9,      /* reads n spans, writes n spans: each write <- reduction */
  CONVOY_OP_REDUCE_SCATTER = 10, /* reads n spans, writes their reduction, cut into n pieces */
  CONVOY_OP_ALL_GATHER = 11,     /* reads n pieces, writes n spans: each <- the pieces in order */
  CONVOY_OP_BROADCAST = 12,      /* reads 1 span, writes n */
  CONVOY_OP_REDUCE = 13,         /* reads n spans, writes 1 */
  /* write 0 (parameters) <- optimizer(write 0, read 0 = gradient sum). Devices that join updates
   * (CONVOY_DEVICE_JOINS_UPDATES) may get several reads and several writes. The gradient sum is
   * then the sum of the reads from left to right, and every write is updated with it. */
  CONVOY_OP_APPLY = 14,
  CONVOY_OP_CALL = 15,     /* the plug-in's kernel on its reads and writes */
  CONVOY_OP_FORWARD = 16,  /* replica's layers; reads parameters */
  CONVOY_OP_BACKWARD = 17, /* replica's layers; reads parameters, writes gradients */
  /* Only the host writes the following ones into plans. */
  /* write 0 (1 element) <- Euclidean norm of the gradient; read 0 is its sum over the
   * contributions. With parameters as read 1, weight decay and gradient_scale are included, as in
   * the gradient that the optimizer gets before clipping. Squares are summed in double. */
  CONVOY_OP_NORM = 18,
  /* Adapts write 0 (2 elements: loss scale, number of finite steps in a row) to read 0, the norms
   * of a step. If all norms are finite, the counter grows by one; once it is sizes[0], the scale
   * doubles instead and the counter becomes 0. Otherwise the scale halves and the counter becomes
   * 0. A scale that would leave the normal numbers of f32 stays as it is. */
  CONVOY_OP_ADAPT_LOSS_SCALE = 19,
  /* Strategies may use the following ones. f32. */
  /* write <- read 0 * read 1, element by element. If read 1 has one element, it multiplies all. */
  CONVOY_OP_MULTIPLY = 20,
  /* write 0 (1 element) <- the inner product of read 0 and read 1, summed in double. The product of
   * a span with itself is the square of its norm. */
  CONVOY_OP_DOT = 21,
  /* write <- read 0 / read 1, with sizes as in MULTIPLY; scalar where read 1 is zero. */
  CONVOY_OP_DIVIDE = 22,
  CONVOY_OP_SQUARE_ROOT = 23, /* write <- the root of read 0, element by element */
  /* write[m,n] <- read 0[m,n] with orthonormal columns, by rows; sizes[0..1] = m, n, with n at most
   * m. Gram-Schmidt: from the first column on, the projections on the earlier columns are
   * subtracted, and the column is scaled to length 1. If less than 1e-5 of a column's length is
   * left, or it was zero, it is replaced by a unit vector minus its projections on the earlier
   * columns. The unit vector is that of the row in which the squares of the earlier columns have
   * the smallest sum; the first such row. */
  CONVOY_OP_ORTHOGONALISE = 24,
  /* The following ones compress f32. TOP_K and QUANTISE write a message. SCATTER and DEQUANTISE
   * read one message or several of equal length, one after the other. */
  /* write 0 (values), write 1 (indices, i32) <- the elements of read 0 of largest magnitude, as
   * many as write 0 has room for, by ascending index. Of equal magnitudes, the first elements are
   * taken. Not-a-number is larger than infinity. write 2 is optional and may be read 0: it <- the
   * rest, that is read 0 with zero where an element was taken or is not finite. */
  CONVOY_OP_TOP_K = 25,
  /* write 0 <- read 2 (zero without one) + read 0 (values) at the indices in read 1, message after
   * message; sizes[0] = messages. An index occurs at most once in a message; indices outside of
   * write 0 are ignored. */
  CONVOY_OP_SCATTER = 26,
  /* write 0 (codes, u8), write 1 (scales) <- read 0; sizes[0] = convoy_code, sizes[1] = elements
   * per scale. write 2 is optional and may be read 0: it <- the rest, that is read 0 minus the
   * result of DEQUANTISE, and zero where that is not finite. */
  CONVOY_OP_QUANTISE = 27,
  /* write 0 <- read 2 (zero without one) + the decoded values of read 0 (codes) and read 1
   * (scales), message after message; sizes[0], sizes[1] as in QUANTISE, sizes[2] = messages. */
  CONVOY_OP_DEQUANTISE = 28
};

/* How QUANTISE codes an element x of a block: as a whole number; the number times the block's scale
 * is the decoded value. All arithmetic rounds to nearest even in f32. A block with an element that
 * is not finite has the scale not-a-number and zero codes. */
enum convoy_code {
  /* -1, 0 or 1, the sign of x. Zero has a code of its own, so that padding and elements without a
   * gradient stay zero. Five elements in a byte, the first one as the lowest digit: the sum of (1 +
   * sign) 3^i, with sign 0 after the last element. Scale: the mean magnitude of the elements that
   * are not 0, or 0 if all are 0. The magnitudes are summed in double in 32 partial sums (by index
   * in the block modulo 32), which are added in pairs i and i + 16, then + 8, + 4, + 2, + 1. */
  CONVOY_CODE_SIGN = 1,
  /* x / scale rounded, at most 7 in magnitude, in two's complement; two elements in a byte, the
   * first one in the low half. Scale: the largest magnitude / 7. If the scale is 0, the codes are
   * 0. */
  CONVOY_CODE_4_BITS = 4,
  /* The same with one byte per element: at most 127, scale = the largest magnitude / 127. */
  CONVOY_CODE_8_BITS = 8
};

enum convoy_reduction { CONVOY_REDUCE_SUM = 0, CONVOY_REDUCE_MIN = 1, CONVOY_REDUCE_MAX = 2 };

/* The algorithm of a collective. DEVICE lets the devices choose (shared memory, NCCL ...). */
enum convoy_algorithm {
  CONVOY_ALGORITHM_DEVICE = 0,
  CONVOY_ALGORITHM_RING = 1,
  CONVOY_ALGORITHM_TREE = 2,
  CONVOY_ALGORITHM_DIRECT = 3,
  CONVOY_ALGORITHM_TWO_LEVEL = 4,
  /* As DEVICE, but refused with the devices' reason where they have no collectives of their own. */
  CONVOY_ALGORITHM_DEVICE_ONLY = 5
};

/* What a CALL declares about its kernel, for the checker: the linear sum that its writes represent.
 * All but UNDECLARED need spans of equal count. The checker relies on the declaration and prints
 * that it does. */
enum convoy_call_effect {
  CONVOY_CALL_UNDECLARED = 0, /* the writes depend on the reads, nothing more is known */
  /* Every write is the sum of the reads, up to rounding in the coarsest type of its spans. */
  CONVOY_CALL_SUMS = 1,
  CONVOY_CALL_COMPRESSES = 2, /* every write represents the sum of the reads; the rest is lost */
  /* write 0 represents the sum of the reads, write 1 is the rest: both add up to that sum. */
  CONVOY_CALL_KEEPS_REST = 3
};

enum convoy_operation_flag {
  CONVOY_OP_RELAXED_READS = 1u, /* reads may see values up to max_lag steps old */
  CONVOY_OP_ANY_ORDER = 2u,     /* commutes with other ANY_ORDER operations on the same span */
  /* Only the host sets the next three. LOSS_SCALED and NORMED add one read each, in this order. */
  CONVOY_OP_LOSS_SCALED = 4u, /* BACKWARD, NORM, APPLY: the loss scale; gradients hold it */
  CONVOY_OP_NORMED = 8u, /* APPLY: the norm of the whole gradient, see NORM; scalar = its limit */
  CONVOY_OP_SKIP_NON_FINITE = 16u, /* APPLY with NORMED: does nothing unless the norm is finite */
  CONVOY_OP_TRANSPOSES_A = 32u,    /* MATMUL */
  CONVOY_OP_TRANSPOSES_B = 64u     /* MATMUL */
};
#define CONVOY_UNBOUNDED UINT64_MAX /* max_lag without a bound */
#define CONVOY_SETS 16              /* copies of an arena that a strategy may rotate */
#define CONVOY_PRIORITIES 4         /* levels of convoy_operation.priority */

enum convoy_buffer_kind {
  CONVOY_BUFFER_PARAMETERS = 1, /* owner = replica; the arena that forward and backward read */
  CONVOY_BUFFER_GRADIENT = 2,   /* owner = replica; the arena that backward writes */
  CONVOY_BUFFER_MASTER = 3,     /* owner = place; the arena with optimizer state */
  CONVOY_BUFFER_SCRATCH = 4,    /* owner = place; contents undefined at the start of a period */
  CONVOY_BUFFER_PERSISTENT = 5  /* owner = place; survives steps, zero at the start */
};

/* frozen */
typedef struct convoy_range {
  uint64_t first;
  uint64_t count;
} convoy_range;

/* frozen. Part of a buffer: a name, not a pointer. */
typedef struct convoy_span {
  uint32_t buffer;
  uint32_t dtype;
  uint64_t first;
  uint64_t count;
} convoy_span;

/* frozen. count and dtype are for scratch and persistent buffers. set, below CONVOY_SETS, is for
 * the other kinds, which may have several copies that a strategy rotates. */
typedef struct convoy_buffer {
  uint32_t kind;
  uint32_t owner;
  uint32_t set;
  uint32_t dtype;
  uint64_t count;
} convoy_buffer;

/* An operation that a strategy emits, or that a device is asked about. The reader copies the spans
 * and the name of the kernel. */
typedef struct convoy_operation {
  uint64_t struct_size;
  uint32_t kind;
  uint32_t flags;
  uint32_t place;     /* where it runs; CONVOY_NONE = where its first write lives */
  uint32_t reduction; /* collectives, SUM: convoy_reduction */
  uint32_t algorithm; /* collectives: convoy_algorithm */
  uint32_t replica;   /* FORWARD, BACKWARD */
  const convoy_span* reads;
  uint64_t read_count;
  const convoy_span* writes;
  uint64_t write_count;
  double scalar; /* FILL, SCALE, AXPY, DIVIDE; CALL: as it says; APPLY with NORMED: 0 = no limit */
  uint64_t contributions; /* APPLY, NORM: replica gradients summed in read 0; 0 = one per replica */
  uint64_t max_lag;       /* RELAXED_READS */
  uint64_t first_layer;   /* FORWARD, BACKWARD: layers [first, first + count) */
  uint64_t layer_count;
  /* MATMUL, ADAPT_LOSS_SCALE, ORTHOGONALISE, SCATTER, QUANTISE, DEQUANTISE; CALL: as it says */
  uint64_t sizes[4];
  const char* kernel; /* CALL: name, resolved by convoy_strategy.kernel */
  uint64_t bytes;     /* CALL: memory traffic, for the simulator */
  uint64_t flops;     /* CALL */
  uint64_t effect;    /* CALL: convoy_call_effect */
  /* Of ready operations for the same link or engine, the one with the highest priority runs first:
   * 0 to CONVOY_PRIORITIES - 1. The operations that it waits for get its priority, too. */
  uint64_t priority;
} convoy_operation;

/* frozen. The memory of a span, after its name is resolved. */
typedef struct convoy_region {
  void* data;
  uint64_t count;
  uint32_t dtype;
  uint32_t place;
} convoy_region;

/* A strategy's own kernel as a host function; non-zero fails the operation. Threads of the devices
 * call it, several at a time on different spans. It must not throw. It may be called until the
 * process ends. */
typedef int32_t (*convoy_host_kernel)(const convoy_region* reads, uint64_t read_count,
                                      const convoy_region* writes, uint64_t write_count);

/* The argument of a kernel with a context. step counts from the first step of all training;
 * learning_rate is that of the step. An operation belongs to the step of the last compute before it
 * in the body; operations before the first compute belong to that step. Both are 0 in a prologue.
 */
typedef struct convoy_kernel_call {
  uint64_t struct_size;
  void* state; /* convoy_kernel.state */
  uint64_t step;
  double learning_rate;
  double scalar;     /* convoy_operation.scalar */
  uint64_t sizes[4]; /* convoy_operation.sizes */
  const convoy_region* reads;
  uint64_t read_count;
  const convoy_region* writes;
  uint64_t write_count;
} convoy_kernel_call;

/* A strategy's own kernel with a context; otherwise like convoy_host_kernel. It is not called after
 * the strategy that gave it is destroyed. */
typedef int32_t (*convoy_kernel_function)(const convoy_kernel_call* call);

#ifdef __cplusplus
}
#endif

#endif
