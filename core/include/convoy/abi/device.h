/* The layers that a device compiles, and the functions that a device provides. The rules are at the
 * top of convoy/abi.h. */
#ifndef CONVOY_ABI_DEVICE_H
#define CONVOY_ABI_DEVICE_H

#include <convoy/abi/model.h>
#include <convoy/abi/program.h>
#include <convoy/abi/submission.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A layer with everything the host inferred. variables: [0] weights or gamma, [1] bias or beta. The
 * host owns the structs and strings of a graph; convoy_compilation says how long they live. */
typedef struct convoy_node {
  uint64_t struct_size;
  const convoy_layer* layer;
  uint32_t channels; /* output shape */
  uint32_t height;
  uint32_t width;
  uint32_t pad_top;
  uint32_t pad_bottom;
  uint32_t pad_left;
  uint32_t pad_right;
  uint32_t variables[2]; /* indices into the graph's variables, or CONVOY_NONE */
  uint32_t segment;      /* the unit in which FORWARD and BACKWARD are submitted */
  uint64_t
      state_first; /* batch norm: first of 2 * channels elements (mean, variance) in the state */
} convoy_node;

/* frozen. Storage of one variable in the arena. The dimensions (OIHW; OI; N) are padded to
 * padded[i] and split by the inner blocks (outermost first). The outer part of dimension i has a
 * stride of strides[i] elements. The plain layout has inner_blocks == 0 and plain strides.
 */
typedef struct convoy_layout {
  uint32_t rank;
  uint32_t inner_blocks;
  uint32_t inner_dimension[4];
  uint32_t inner_size[4];
  uint64_t padded[4];
  uint64_t strides[4];
  uint64_t elements; /* of storage, padding included */
} convoy_layout;

typedef struct convoy_graph_variable {
  uint64_t struct_size;
  const char* name;
  uint32_t rank;
  uint32_t decayed;       /* 1: weight decay applies */
  uint64_t dimensions[4]; /* OIHW, OI or N */
  uint64_t elements;
  uint64_t arena_first; /* set once the layout is chosen */
  convoy_layout layout; /* set with arena_first */
} convoy_graph_variable;

typedef struct convoy_graph {
  uint64_t struct_size;
  const convoy_node* const* nodes;
  uint64_t node_count;
  const convoy_graph_variable* const* variables; /* creation order */
  uint64_t variable_count;
  uint64_t arena_elements;
  uint64_t state_elements;
  uint64_t segment_count;
} convoy_graph;

enum convoy_compile_flag {
  CONVOY_COMPILE_DROPOUT = 1u,  /* dropout layers drop */
  CONVOY_COMPILE_ACCURACY = 2u, /* count top-1 and top-5 hits */
  /* Forward only: batch norm uses the moving statistics and does not change them. Nothing is kept
   * for a backward pass, and dropout layers do nothing. BACKWARD is refused. */
  CONVOY_COMPILE_INFERENCE = 4u,
  /* Convolutions by their definition: no algorithm with fewer multiplications and other rounding
   * (Winograd). */
  CONVOY_COMPILE_DIRECT_CONVOLUTIONS = 8u,
  /* The program keeps the times that profile() reads; results stay the same to the bit. */
  CONVOY_COMPILE_PROFILE = 16u
};

/* Valid during the call; what `graph` points to stays valid and unchanged while the program lives.
 */
typedef struct convoy_compilation {
  uint64_t struct_size;
  const convoy_graph* graph;
  uint32_t batch;
  uint32_t flags;
  uint32_t replica;
  uint32_t replicas;
  uint64_t seed;
  /* Type of activations and of the operands of convolutions and fully connected layers: CONVOY_F32,
   * CONVOY_BF16 or CONVOY_F16. Parameters, their gradients, batch norm statistics and the loss are
   * always f32. */
  uint32_t dtype;
  uint32_t reserved;
} convoy_compilation;

typedef struct convoy_device_request {
  uint64_t struct_size;
  uint32_t devices; /* how many are wanted; 0 = the machine's natural number */
  uint32_t threads; /* per device; 0 = share the machine's cores evenly */
} convoy_device_request;

enum convoy_device_flag {
  CONVOY_DEVICE_SHARES_HOST_MEMORY =
      1u, /* addresses host memory and its siblings' memory directly */
  /* The same submissions on the same values give the same bits, whatever the timing. */
  CONVOY_DEVICE_DETERMINISTIC = 2u,
  /* Computes half_dtype with 32-bit instructions: the results have that type's rounding, but the
   * speed is that of 32 bits. */
  CONVOY_DEVICE_EMULATES_HALF = 4u,
  /* APPLY may sum several gradients and update several parameters. Without this flag the host emits
   * a separate SUM first. */
  CONVOY_DEVICE_JOINS_UPDATES = 8u,
  /* Devices of several processes form groups whose collectives are one operation: the device has
   * open_collective_group and the other slots of groups. */
  CONVOY_DEVICE_COLLECTIVES_SPAN_PROCESSES = 16u
};

/* Properties of all devices of a plug-in, known before any of them is open. */
enum convoy_device_trait {
  /* The devices compute on the host's own processors. Other work of the host slows them down, and
   * their speed is that of the processors. */
  CONVOY_DEVICES_ON_HOST_PROCESSORS = 1u
};

/* For convoy_device.preference; numbers between and above them are free to use. */
enum convoy_device_preference {
  CONVOY_PREFERENCE_NONE = 0,
  CONVOY_PREFERENCE_PROCESSORS = 100,  /* the host's own processors */
  CONVOY_PREFERENCE_ACCELERATORS = 200 /* processors of their own */
};

typedef struct convoy_device_description {
  uint64_t struct_size;
  uint32_t flags;
  uint32_t threads;      /* CPU devices */
  uint32_t numa_node;    /* CONVOY_NONE = unknown */
  uint32_t lanes;        /* how many lanes submit accepts (at least 5): see convoy_lane */
  uint64_t memory_bytes; /* 0 = unknown */
  char name[64];         /* for example "cpu:0" */
  char model[128];       /* for example "AMD EPYC 7763, 2 cores" */
  char locality[256];    /* hwloc cpuset string, or PCI id */
  /* The 16-bit type that programs may be compiled for: CONVOY_BF16 or CONVOY_F16; CONVOY_NONE or 0
   * (CONVOY_F32) when there is none. */
  uint32_t half_dtype;
  uint32_t reserved;
} convoy_device_description;

/* A kernel of a strategy in a form for devices: the fields of convoy_kernel, and for messages the
 * kernel's name in CALL operations and the strategy's name. Valid during the call. */
typedef struct convoy_kernel_code {
  uint64_t struct_size;
  const char* strategy;
  const char* kernel;
  const char* text;
  const char* entry;
  uint32_t form; /* convoy_kernel_form */
  uint32_t threads;
  uint32_t blocks;
  uint32_t reserved;
} convoy_kernel_code;

/* frozen. Names a group of devices of several processes: the processes that have the same id find
 * each other by it. */
typedef struct convoy_collective_id {
  uint8_t bytes[128];
} convoy_collective_id;

/* This process's part of a group of devices of several processes. Valid during the call. */
typedef struct convoy_collective_group {
  uint64_t struct_size;
  const convoy_collective_id* id; /* the same in all processes */
  uint64_t ranks;                 /* devices of the group, in all processes */
  void* const* devices;           /* those of this process: open, of this kind, at least one */
  const uint32_t* device_ranks;   /* the rank of each, ascending, below `ranks` */
  uint64_t device_count;
  double seconds; /* how long the other processes may take to come */
  /* Atomic. The host sets it to 1 when another process is lost: the call then ends soon. */
  const uint32_t* given_up;
} convoy_collective_group;

/* Threads: calls on one device never overlap, except wait, now and interrupt_collective_group,
 * which any thread may call at any time between open and close. Calls on different devices may
 * overlap. Submitted operations run while other functions are called. A function must not touch the
 * memory or the programs of operations that run, and the host never asks for it. */
typedef struct convoy_device {
  uint64_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  /* Number of devices that the request gives on this machine. No device is open yet. The host may
   * call this at any time; afterwards the process must still be able to fork (rule 6). */
  int32_t (*count)(convoy_context* context, const convoy_host* host,
                   const convoy_device_request* request, uint32_t* out);
  /* Opens device number `index`, below the number that count returned. Its options are fixed from
   * here on. */
  int32_t (*open)(convoy_context* context, const convoy_host* host,
                  const convoy_device_request* request, uint32_t index, void** device);
  /* Frees everything. The last call on the device, after all submitted operations have ended; a
   * device on which one hangs is never closed. */
  void (*close)(void* device);
  /* The same description every time. */
  int32_t (*describe)(void* device, convoy_context* context, convoy_device_description* out);
  /* Writes the storage that this device prefers for every variable, in creation order, to
   * out[variable]. The layouts in the graph are plain; `what` and its graph are valid during the
   * call. */
  int32_t (*propose_layout)(void* device, convoy_context* context, const convoy_compilation* what,
                            convoy_layout* out);
  /* Builds the replica's layers for the layouts in the graph, or gives the reason why it cannot.
   * The device owns the program until release. */
  int32_t (*compile)(void* device, convoy_context* context, const convoy_compilation* what,
                     void** program);
  /* Frees a program of this device. No operation of it runs any more. */
  void (*release)(void* device, void* program);
  /* Allocates memory near the device, 64-byte aligned and zeroed. deallocate frees it, when no
   * operation uses it any more. */
  int32_t (*allocate)(void* device, convoy_context* context, uint64_t bytes, void** memory);
  void (*deallocate)(void* device, void* memory);
  /* Copies between memory of this device and any memory of the host. Both return when the bytes
   * have arrived. */
  int32_t (*write)(void* device, convoy_context* context, void* to, const void* from_host,
                   uint64_t bytes);
  int32_t (*read)(void* device, convoy_context* context, void* to_host, const void* from,
                  uint64_t bytes);
  /* Returns 0 when the operation (kind, flags, reduction, dtypes, batched MATMUL) can run here,
   * else non-zero with the reason. For a CALL, it says whether host functions can run here. For
   * other forms see kernel_forms. */
  int32_t (*supports)(void* device, convoy_context* context, const convoy_operation* operation);
  /* Queues an operation and returns at once, without waiting. Non-zero: the operation is not
   * queued. */
  int32_t (*submit)(void* device, convoy_context* context, const convoy_submission* submission);
  /* Blocks until the timeline has reached the value, an operation of this device has failed
   * (non-zero, with its text; CONVOY_TIMED_OUT when it waited for another device in vain) or
   * seconds have passed (returns 0 with *reached = 0). Any thread. */
  int32_t (*wait)(void* device, convoy_context* context, const convoy_wait* point, double seconds,
                  uint32_t* reached);
  /* The device's clock, for its timings and records. Any thread. */
  double (*now)(void* device);
  /* Optional. Times of a program compiled with PROFILE, taken between two operations, in the order
   * in which a step first reaches them. Writes at most `capacity` records to `out`, and the number
   * of all records to *count. */
  int32_t (*profile)(void* device, convoy_context* context, void* program,
                     convoy_profile_record* out, uint64_t capacity, uint64_t* count);
  /* Optional. Measures the device's best rate now, between two operations, with all of its compute
   * resources, in a fraction of a second. `what` is a convoy_measurement. The host measures several
   * devices at the same time to learn how much they slow each other down. */
  int32_t (*measure)(void* device, convoy_context* context, uint32_t what, double* out);
  /* Optional. The memory that compile has allocated for the program. */
  int32_t (*program_memory)(void* device, convoy_context* context, void* program,
                            convoy_program_memory* out);
  /* Optional for devices that compute in the host's memory. Allocates pinned host memory that this
   * device and its siblings address, 64-byte aligned and zeroed. deallocate frees it. */
  int32_t (*allocate_host)(void* device, convoy_context* context, uint64_t bytes, void** memory);
  /* Optional for the same devices. Sets *out to 1 if this device addresses the memory of `other`, a
   * device of its kind, else to 0. */
  int32_t (*reaches)(void* device, convoy_context* context, void* other, uint32_t* out);
  /* Optional. Returns 0 when a collective over one span of each of these devices can be submitted
   * as one operation to any one of them, else non-zero with the reason. All devices are of this
   * kind, and this one is among them. prepare: also creates the resources that such collectives
   * need. The host asks for every group of a plan before the first step, with the devices in the
   * order of the spans. Every collective over these devices is then submitted in the same order in
   * every run. No other call on any of them overlaps this one. */
  int32_t (*supports_collectives)(void* device, convoy_context* context, void* const* devices,
                                  uint64_t count, uint32_t prepare);
  /* Bits of convoy_device_trait. */
  uint32_t traits;
  /* --device=auto takes the plug-in of the highest preference among the plug-ins that count at
   * least one device. Between equal preferences, the plug-in that the search path finds first wins.
   * 0: the devices are used only when the user names the plug-in. */
  uint32_t preference;
  /* The forms of a strategy's kernels that a CALL here may have: bits 1 << convoy_kernel_form,
   * known before any device is open. 0: host functions, if `supports` accepts them. Without the bit
   * of CONVOY_KERNEL_HOST, the host has the kernels of a plan built by build_kernel, or refuses the
   * plan. */
  uint32_t kernel_forms;
  uint32_t reserved;
  /* Optional, for devices with kernel forms other than the host's. Compiles or loads the kernel so
   * that it can be submitted here as convoy_submission.device_kernel, or reports the error in its
   * text. Called before the first step. */
  int32_t (*build_kernel)(void* device, convoy_context* context, const convoy_kernel_code* code,
                          void** kernel);
  /* Frees a kernel that build_kernel made. No operation of it runs any more. */
  void (*free_kernel)(void* device, void* kernel);
  /* The next four are optional; devices with CONVOY_DEVICE_COLLECTIVES_SPAN_PROCESSES have them
   * all. Makes the id of a new group. The host calls it in one of the processes, passes the id to
   * the others, and keeps this device open while the group is. */
  int32_t (*create_collective_id)(void* device, convoy_context* context, convoy_collective_id* out);
  /* Joins a group, on one of its devices in this process. Returns when all of its processes have
   * joined. Returns CONVOY_TIMED_OUT when they do not join in time or the host gives up. From then
   * on, any open device of this kind takes the group's collectives: see convoy_submission.ranks.
   * Every process submits the same collectives of its groups in the same order, to one lane. No
   * other call on any of these devices overlaps this one. */
  int32_t (*open_collective_group)(void* device, convoy_context* context,
                                   const convoy_collective_group* what, void** group);
  /* Leaves a group that open_collective_group made. No collective of it runs any more. */
  void (*close_collective_group)(void* device, void* group);
  /* Another process is lost: collectives of the group that have not ended never will. Those that
   * this process has submitted fail with CONVOY_TIMED_OUT and this reason, and their timelines
   * advance. Returns at once, without waiting for that. */
  void (*interrupt_collective_group)(void* device, void* group, const char* reason);
} convoy_device;

/* The type of convoy_device_v1, the entry point. */
typedef const convoy_device* (*convoy_device_entry)(void);

#ifdef __cplusplus
}
#endif

#endif
