/* What a strategy sees (cluster, variables, routes), writes (planner) and provides. The rules are
 * at the top of convoy/abi.h. */
#ifndef CONVOY_ABI_STRATEGY_H
#define CONVOY_ABI_STRATEGY_H

#include <convoy/abi/operation.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct convoy_cluster {
  uint64_t struct_size;
  uint32_t hosts;
  uint32_t places;
  uint32_t replicas;
  uint32_t variables;
  uint32_t buckets;
  uint32_t reserved;
  uint64_t arena_elements;
} convoy_cluster;

enum convoy_place_kind { CONVOY_PLACE_DEVICE = 1, CONVOY_PLACE_HOST = 2 };

/* The name is the host's, valid until plan() returns. */
typedef struct convoy_place {
  uint64_t struct_size;
  uint32_t kind;
  uint32_t host;
  uint32_t replica;    /* device places: the replica that runs there, else CONVOY_NONE */
  uint32_t near_place; /* device places: the host place it is attached to */
  const char* name;
} convoy_place;

/* What a variable is for its layer; zero where the host does not say. */
enum convoy_variable_kind {
  CONVOY_VARIABLE_UNKNOWN = 0,
  CONVOY_VARIABLE_WEIGHTS = 1, /* multiplies inputs: OIHW of a convolution, OI of a matrix */
  CONVOY_VARIABLE_OFFSETS = 2, /* is added, one per channel */
  CONVOY_VARIABLE_SCALES = 3,  /* multiplies, one per channel */
  CONVOY_VARIABLE_VALUES = 4   /* learned inputs: tokens, positions */
};

/* The name is the host's, valid until plan() returns. */
typedef struct convoy_variable {
  uint64_t struct_size;
  convoy_range range; /* in the arena, padding included */
  uint64_t elements;  /* without padding */
  uint64_t layer;     /* the layer that reads it */
  const char* name;
  uint32_t kind;          /* convoy_variable_kind */
  uint32_t rank;          /* of dimensions; 0 where the host does not say */
  uint64_t dimensions[4]; /* OIHW, OI or N, whatever order its elements are stored in */
  /* As it is stored, the variable is this matrix by rows, from the range's first element on: of all
   * ways to cut its storage between two dimensions the one with the fewest rows + columns. Zero
   * for a variable of one dimension. */
  uint64_t matrix_rows;
  uint64_t matrix_columns;
} convoy_variable;

enum convoy_route_kind {
  CONVOY_ROUTE_UNKNOWN = 0,
  CONVOY_ROUTE_SAME_MEMORY = 1,
  CONVOY_ROUTE_SHARED_MEMORY = 2, /* each side addresses the other's memory at memory speed */
  CONVOY_ROUTE_NVLINK = 3,
  CONVOY_ROUTE_PCIE_SWITCH = 4,
  CONVOY_ROUTE_PCIE_HOST_BRIDGE = 5,
  CONVOY_ROUTE_SOCKET = 6,
  CONVOY_ROUTE_NETWORK = 7
};

typedef struct convoy_route {
  uint64_t struct_size;
  uint32_t kind;
  uint32_t peer_access;    /* 1: the destination's device can address the source directly */
  double bytes_per_second; /* 0 = unknown */
  uint32_t shared_group;   /* routes of one group share their slowest link; CONVOY_NONE unknown */
  uint32_t reserved;
} convoy_route;

/* What replicas may have in common. Only the host is always known. */
enum convoy_sharing {
  CONVOY_SHARES_HOST = 1,
  CONVOY_SHARES_NUMA = 2,   /* the nearest host memory: a NUMA node, else a socket's */
  CONVOY_SHARES_SWITCH = 3, /* a PCI Express switch, and so the link above it */
  CONVOY_SHARES_NVLINK = 4  /* NVLink: each reaches each other over it, without passing a GPU */
};

enum convoy_section { CONVOY_SECTION_PROLOGUE = 0, CONVOY_SECTION_BODY = 1 };

/* What a strategy writes its plan with: valid during plan(), for one thread at a time. Non-zero:
 * the host refuses the call and knows the reason; whatever plan() returns after that, the plan is
 * refused. Nothing that is passed in is kept: the host copies it. Questions (cluster ... bucket)
 * have the same answers during one plan(). */
typedef struct convoy_planner {
  uint64_t struct_size;
  void* self;
  int32_t (*cluster)(void* self, convoy_cluster* out);
  int32_t (*place)(void* self, uint32_t index, convoy_place* out);
  int32_t (*replica_place)(void* self, uint32_t replica, uint32_t* place);
  int32_t (*route)(void* self, uint32_t from, uint32_t to, convoy_route* out);
  int32_t (*variable)(void* self, uint32_t index, convoy_variable* out); /* arena order */
  int32_t (*bucket)(void* self, uint32_t index, convoy_range* out);      /* arena order */
  /* Declares a buffer, or finds it: the same description gives the same id, except that every
   * scratch and persistent declaration is a new buffer. */
  int32_t (*buffer)(void* self, const convoy_buffer* description, uint32_t* id);
  int32_t (*section)(void* self, uint32_t section); /* of what is emitted next; first the body */
  /* Appends an operation to the section. */
  int32_t (*emit)(void* self, const convoy_operation* operation);
  /* Names a buffer for messages and listings; the name is copied. No part of what the plan does. */
  int32_t (*name_buffer)(void* self, uint32_t id, const char* name);
  /* A number that the replicas of this cluster which share that have in common (convoy_sharing);
   * CONVOY_NONE: not known. */
  int32_t (*group)(void* self, uint32_t sharing, uint32_t replica, uint32_t* number);
  /* What is emitted next, prologue or body, is of the stage that begins with this training step;
   * first of that which begins with step 0. A stage's prologue runs once, before its first step,
   * and its body repeats until the next stage begins. Parameters, masters and persistent buffers go
   * from one stage to the next as they are; what gradients and scratch hold then is undefined. All
   * but the last stage last for whole periods of their bodies. */
  int32_t (*stage)(void* self, uint64_t first_step);
} convoy_planner;

/* In what form a kernel is given. A host function is what `check` tries and what CPU devices run.
 * Devices with memory of their own take another form beside it, which computes the same:
 * CUDA_SOURCE  CUDA C++, which is compiled for the GPU before the first step (by NVRTC). It may
 *              include convoy/cuda_kernel.hpp or convoy/abi/cuda_call.h, and no other file.
 *              Functions are device functions unless they say otherwise; products and sums are not
 *              contracted, so that they round as on a host.
 * PTX          what nvcc --ptx makes of such source, for the oldest GPU that is to run it.
 * Either has a function
 *   extern "C" __global__ void ENTRY(const convoy_cuda_call call)
 * which is queued behind what the CALL waits for, with a grid of `blocks` blocks of `threads`
 * threads in one dimension each and no dynamic shared memory. What else it needs is its own. */
enum convoy_kernel_form {
  CONVOY_KERNEL_HOST = 1,
  CONVOY_KERNEL_CUDA_SOURCE = 2,
  CONVOY_KERNEL_PTX = 3
};

typedef struct convoy_kernel {
  uint64_t struct_size;
  convoy_host_kernel function; /* CONVOY_KERNEL_HOST */
  const char* text;            /* CUDA source or PTX; the plug-in's, valid until destroy */
  /* CONVOY_KERNEL_HOST instead of `function`: a kernel with a context, and what it finds as
   * convoy_kernel_call.state. Both are valid until destroy. */
  convoy_kernel_function run;
  void* state;
  /* With a text: the function's name, NULL = the kernel's own; threads of a block, 0 = 256; blocks,
   * 0 = as many as give every element of write 0 a thread, but 1024 at most: such a kernel goes on
   * with element i + blocks * threads. */
  const char* entry; /* the plug-in's, valid until destroy */
  uint32_t threads;
  uint32_t blocks;
} convoy_kernel;

typedef struct convoy_strategy {
  uint64_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  /* Makes an instance. Its options are fixed from here on. The host makes several at a time when it
   * compares strategies, and lets them plan in different threads. */
  int32_t (*create)(convoy_context* context, const convoy_host* host, void** self);
  void (*destroy)(void* self);
  /* Writes one training step of the whole cluster: all replicas, all hosts. Pure: the host calls it
   * more than once, for other clusters, too, and compares. It must not block. CONVOY_REFUSED: these
   * options or this cluster are nothing for the strategy. */
  int32_t (*plan)(void* self, convoy_context* context, const convoy_planner* planner);
  /* Optional. Gives a kernel that a CALL operation named. function, run and text stay NULL when it
   * does not exist in this form; non-zero is an error. The name is the host's, valid during the
   * call. */
  int32_t (*kernel)(void* self, convoy_context* context, const char* name, uint32_t form,
                    convoy_kernel* out);
} convoy_strategy;

/* The type of convoy_strategy_v1, the entry point. */
typedef const convoy_strategy* (*convoy_strategy_entry)(void);

#ifdef __cplusplus
}
#endif

#endif
