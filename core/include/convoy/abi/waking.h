/* Operations of devices wait for messages of the network, and messages wait for operations. With
 * these functions each side wakes the other. A device plug-in exports them through a third symbol
 * (rule 1 of convoy/abi.h): convoy_device_waking_v1, a function that returns a pointer to a
 * constant convoy_device_waking. Without it the program works, but the host and the devices poll
 * each other's timelines at intervals. convoy/waking.hpp is an implementation in C++. */
#ifndef CONVOY_ABI_WAKING_H
#define CONVOY_ABI_WAKING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called after a timeline has reached the value; the device may hold locks meanwhile. It returns
 * soon, does not wait for operations, and calls no function of the device or of
 * convoy_device_waking. */
typedef void (*convoy_timeline_listener)(void* state, const uint64_t* timeline, uint64_t value);

/* One table for all open devices of the plug-in in this process. Any thread may call any function
 * at any time, but calls of listen and forget with the same state do not overlap. */
typedef struct convoy_device_waking {
  uint64_t struct_size;
  /* The host has advanced the timeline: operations that wait for it may start. Returns soon. */
  void (*advanced)(const uint64_t* timeline, uint64_t value);
  /* From now on, whenever an operation of a device has advanced its timeline, heard is called with
   * the state, by any thread and possibly by several at once. The value is stored before the call.
   * This store and the reads in heard are in one total order (sequentially consistent). While there
   * is a listener, the host calls `advanced` for every timeline that it advances for a message.
   * Returns 0, or non-zero when there are too many listeners. */
  int32_t (*listen)(convoy_timeline_listener heard, void* state);
  /* Removes the listener with that state. No call of heard is running when forget returns. */
  void (*forget)(void* state);
} convoy_device_waking;

/* The type of convoy_device_waking_v1. */
typedef const convoy_device_waking* (*convoy_device_waking_entry)(void);

#ifdef __cplusplus
}
#endif

#endif
