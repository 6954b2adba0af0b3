/* How operations of devices and messages of the network wake each other. A device plug-in may
 * export one symbol more than those of rule 1 of convoy/abi.h: convoy_device_waking_v1, a function
 * that returns a pointer to a constant convoy_device_waking. Without it everything works, but the
 * host looks every so often whether an operation has ended that a message waits for, and its
 * devices do so for operations that wait for a message. convoy/waking.hpp has it ready in C++. */
#ifndef CONVOY_ABI_WAKING_H
#define CONVOY_ABI_WAKING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called after a timeline has reached the value, maybe with locks of the device held. Returns soon,
 * waits for no operation and calls no function of the device or of convoy_device_waking. */
typedef void (*convoy_timeline_listener)(void* state, const uint64_t* timeline, uint64_t value);

/* One for all open devices of the plug-in in this process. Any thread may call any function, at any
 * time; of listen and forget, calls with one state do not overlap. */
typedef struct convoy_device_waking {
  uint64_t struct_size;
  /* The host has advanced the timeline: operations that wait for it may start. Returns soon. */
  void (*advanced)(const uint64_t* timeline, uint64_t value);
  /* From now on, whenever an operation of a device has advanced its timeline, heard is called with
   * the state, by any thread and by several at once. The value is stored before, and this store and
   * what heard reads are in one total order (sequentially consistent). As long as somebody listens,
   * the host tells by `advanced` of every timeline that it advances for a message. 0, or non-zero
   * when there are too many listeners. */
  int32_t (*listen)(convoy_timeline_listener heard, void* state);
  /* Ends what listen began with that state. No call of heard goes on when it returns. */
  void (*forget)(void* state);
} convoy_device_waking;

/* The type of convoy_device_waking_v1. */
typedef const convoy_device_waking* (*convoy_device_waking_entry)(void);

#ifdef __cplusplus
}
#endif

#endif
