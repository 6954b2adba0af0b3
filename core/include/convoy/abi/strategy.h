/* The data that a strategy reads (cluster, variables, routes), the planner that it writes with, and
 * the functions that it provides. The rules are at the top of convoy/abi.h. */
#ifndef CONVOY_ABI_STRATEGY_H
#define CONVOY_ABI_STRATEGY_H

#include <convoy/abi/operation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The cluster and model of a plan: the numbers of hosts, places, replicas and variables, over all
 * hosts. Each kind is numbered from 0. */
typedef struct convoy_cluster {
  uint64_t struct_size;
  uint32_t hosts;
  uint32_t places;
  uint32_t replicas;
  uint32_t variables;
  uint32_t buckets; /* ranges that partition the arena; the user chooses their size */
  uint32_t reserved;
  uint64_t arena_elements; /* of all variables, padding included */
} convoy_cluster;

enum convoy_place_kind { CONVOY_PLACE_DEVICE = 1, CONVOY_PLACE_HOST = 2 };

/* The name is the host's, valid until plan() returns. */
typedef struct convoy_place {
  uint64_t struct_size;
  uint32_t kind;
  uint32_t host;       /* number of the host */
  uint32_t replica;    /* device places: the replica that runs there, else CONVOY_NONE */
  uint32_t near_place; /* device places: the host place it is attached to, else CONVOY_NONE */
  const char* name;
} convoy_place;

/* The role of a variable in its layer; zero where the host does not say. */
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
  uint64_t layer;     /* number of the layer that reads it */
  const char* name;
  uint32_t kind;          /* convoy_variable_kind */
  uint32_t rank;          /* of dimensions; 0 where the host does not say */
  uint64_t dimensions[4]; /* OIHW, OI or N, whatever order its elements are stored in */
  /* The variable's storage as a matrix by rows, from the range's first element on. Of all ways to
   * cut the storage between two dimensions, this one has the fewest rows + columns. Zero for a
   * variable of one dimension. */
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

/* Hardware that replicas may share. Only the host is always known. */
enum convoy_sharing {
  CONVOY_SHARES_HOST = 1,
  CONVOY_SHARES_NUMA = 2,   /* the nearest host memory: a NUMA node, else a socket's */
  CONVOY_SHARES_SWITCH = 3, /* a PCI Express switch, and so the link above it */
  CONVOY_SHARES_NVLINK = 4  /* NVLink between every two GPUs, without passing another GPU */
};

enum convoy_section { CONVOY_SECTION_PROLOGUE = 0, CONVOY_SECTION_BODY = 1 };

/* Functions with which a strategy writes its plan; valid during plan(), for one thread at a time.
 * Non-zero: the host refuses the call and keeps the reason; the plan is then refused, whatever
 * plan() returns. The host copies all arguments. Queries (cluster ... bucket) give the same answers
 * during one plan(). */
typedef struct convoy_planner {
  uint64_t struct_size;
  void* self;
  int32_t (*cluster)(void* self, convoy_cluster* out);
  int32_t (*place)(void* self, uint32_t index, convoy_place* out);
  int32_t (*replica_place)(void* self, uint32_t replica, uint32_t* place);
  int32_t (*route)(void* self, uint32_t from, uint32_t to, convoy_route* out);
  int32_t (*variable)(void* self, uint32_t index, convoy_variable* out); /* arena order */
  int32_t (*bucket)(void* self, uint32_t index, convoy_range* out);      /* arena order */
  /* Declares a buffer, or finds it: the same description gives the same id. But every declaration
   * of a scratch or persistent buffer makes a new one. */
  int32_t (*buffer)(void* self, const convoy_buffer* description, uint32_t* id);
  /* The section of the operations that are emitted next; at first it is the body. */
  int32_t (*section)(void* self, uint32_t section);
  /* Appends an operation to the section. */
  int32_t (*emit)(void* self, const convoy_operation* operation);
  /* Names a buffer for messages and listings; the name is copied. It has no effect on what the plan
   * does. */
  int32_t (*name_buffer)(void* self, uint32_t id, const char* name);
  /* The number of the replica's group: replicas that share this hardware (a convoy_sharing) have
   * the same number. CONVOY_NONE: it is not known whether they do. */
  int32_t (*group)(void* self, uint32_t sharing, uint32_t replica, uint32_t* number);
  /* Operations emitted from now on, in prologue or body, belong to the stage that begins with this
   * training step; before any call, to the stage of step 0. A stage's prologue runs once, before
   * its first step, and its body repeats until the next stage begins. Parameters, masters and
   * persistent buffers keep their contents in the next stage; the contents of gradients and scratch
   * are undefined then. Every stage but the last lasts for whole periods of its body. */
  int32_t (*stage)(void* self, uint64_t first_step);
} convoy_planner;

/* The form of a kernel. `check` tries the host function, and CPU devices run it. For devices with
 * memory of their own there is a second form, which computes the same:
 * CUDA_SOURCE  CUDA C++, which is compiled for the GPU before the first step (by NVRTC). It may
 *              include convoy/cuda_kernel.hpp or convoy/abi/cuda_call.h, and no other file.
 *              Functions are device functions unless they say otherwise; products and sums are not
 *              contracted, so that they round as on a host.
 * PTX          what nvcc --ptx makes of such source, for the oldest GPU that is to run it.
 * Either has a function
 *   extern "C" __global__ void ENTRY(const convoy_cuda_call call)
 * It is queued after the operations that the CALL waits for, with a one-dimensional grid of
 * `blocks` blocks of `threads` threads and without dynamic shared memory. The text must define
 * everything else that it uses. */
enum convoy_kernel_form {
  CONVOY_KERNEL_HOST = 1,
  CONVOY_KERNEL_CUDA_SOURCE = 2,
  CONVOY_KERNEL_PTX = 3
};

typedef struct convoy_kernel {
  uint64_t struct_size;
  convoy_host_kernel function; /* CONVOY_KERNEL_HOST */
  const char* text;            /* CUDA source or PTX; owned by the plug-in, valid until destroy */
  /* CONVOY_KERNEL_HOST instead of `function`: a kernel with a context, and what it finds as
   * convoy_kernel_call.state. Both are valid until destroy. */
  convoy_kernel_function run;
  void* state;
  /* With a text: entry is the function's name, NULL = the kernel's own name. threads per block, 0 =
   * 256. blocks, 0 = enough for one thread per element of write 0, but at most 1024: then a thread
   * must continue with element i + blocks * threads. */
  const char* entry; /* the plug-in's, valid until destroy */
  uint32_t threads;
  uint32_t blocks;
} convoy_kernel;

typedef struct convoy_strategy {
  uint64_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  /* Makes an instance. Its options are fixed from here on. When the host compares strategies, it
   * makes several instances that plan in different threads. */
  int32_t (*create)(convoy_context* context, const convoy_host* host, void** self);
  void (*destroy)(void* self); /* frees the instance and its kernels; the last call on it */
  /* Writes one training step of the whole cluster: all replicas, all hosts. It must be a pure
   * function: the host calls it more than once, also for other clusters, and compares the plans. It
   * must not block. CONVOY_REFUSED: the strategy does not support these options or this cluster. */
  int32_t (*plan)(void* self, convoy_context* context, const convoy_planner* planner);
  /* Optional. Gives the kernel of this name in this form. function, run and text stay NULL when
   * there is none; non-zero is an error. The host owns the name; it is valid during the call. */
  int32_t (*kernel)(void* self, convoy_context* context, const char* name, uint32_t form,
                    convoy_kernel* out);
} convoy_strategy;

/* The type of convoy_strategy_v1, the entry point. */
typedef const convoy_strategy* (*convoy_strategy_entry)(void);

#ifdef __cplusplus
}
#endif

#endif
