/* Data about a compiled program (times per layer, memory), and the rates that a device measures.
 * The rules are at the top of convoy/abi.h. */
#ifndef CONVOY_ABI_PROGRAM_H
#define CONVOY_ABI_PROGRAM_H

#include <stdint.h>

enum convoy_pass {
  CONVOY_PASS_FORWARD = 0,
  CONVOY_PASS_BACKWARD_DATA = 1, /* also a layer's whole backward where it is one computation */
  CONVOY_PASS_BACKWARD_WEIGHTS = 2
};

enum convoy_profile_role {
  CONVOY_PROFILE_KERNEL = 0, /* the layer's own computation */
  CONVOY_PROFILE_HELPER = 1  /* work around it: conversions of storage, sums of gradients */
};

#define CONVOY_PROFILE_RECENT 4u

/* frozen. Time of one implementation in one pass of one layer since the program was compiled. An
 * implementation may run several times in a pass; each run counts as a call. */
typedef struct convoy_profile_record {
  uint32_t node; /* index into the graph's nodes */
  uint32_t pass; /* convoy_pass */
  uint32_t role; /* convoy_profile_role */
  uint32_t reserved;
  uint64_t calls;
  double seconds;
  /* Start and end of the latest calls, on the clock of now(). Call number n, counted from 0, is at
   * index n % 4. */
  double recent_start[CONVOY_PROFILE_RECENT];
  double recent_end[CONVOY_PROFILE_RECENT];
  char implementation[64]; /* for example "jit:avx2" */
} convoy_profile_record;

enum convoy_measurement {
  CONVOY_MEASURE_MULTIPLY = 0, /* f32 matrix product: floating-point operations per second */
  CONVOY_MEASURE_STREAM = 1,   /* c = a + b on large vectors: bytes read and written per second */
  /* As MULTIPLY, with the device's half_dtype. Devices may refuse it. */
  CONVOY_MEASURE_MULTIPLY_HALF = 2
};

/* Memory that belongs to a compiled program, in bytes. All of it is allocated when the program is
 * compiled. All 0: unknown. */
typedef struct convoy_program_memory {
  uint64_t struct_size;
  uint64_t activations; /* activations and their gradients: the most that are live at one time */
  uint64_t scratch;     /* work space that single layers need while they compute */
} convoy_program_memory;

#endif
