/* Types and functions that every kind of plug-in uses. The rules are at the top of convoy/abi.h. */
#ifndef CONVOY_ABI_COMMON_H
#define CONVOY_ABI_COMMON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONVOY_ABI_MAJOR 1u
#define CONVOY_ABI_MINOR 0u
#define CONVOY_NONE 0xffffffffu /* "no such index" */

/* Whether a table of functions has a slot: CONVOY_HAS(device, measure). */
#define CONVOY_HAS(table, slot)                                                                    \
  ((table)->struct_size >= (uint64_t)((const char*)(&(table)->slot + 1) - (const char*)(table)) && \
   (table)->slot != NULL)

#if defined(__GNUC__)
#define CONVOY_EXPORT __attribute__((visibility("default")))
#define CONVOY_MANIFEST_SECTION __attribute__((section(".convoy.manifest"), used))
#endif

/* The host's state of one call into a plug-in; opaque to plug-ins. See rule 6. */
typedef struct convoy_context convoy_context;

enum convoy_status {
  CONVOY_OK = 0,
  CONVOY_FAILED = 1, /* so do all other values */
  /* The request is impossible: the user's options contradict each other or the machine. The plug-in
   * itself works. */
  CONVOY_REFUSED = 2,
  /* A device waited for another one until its own time limit, or lost it. */
  CONVOY_TIMED_OUT = 3
};

enum convoy_log_level { CONVOY_LOG_DEBUG = 0, CONVOY_LOG_INFO = 1, CONVOY_LOG_WARNING = 2 };

/* Functions that every plug-in may call. The table lives until the process ends. Every function
 * takes the context of the current call into the plug-in. Several threads may call it at a time
 * with different contexts. */
typedef struct convoy_host {
  uint64_t struct_size;
  /* Copies the text. The user gets it as the reason when the call then returns non-zero. If there
   * are several, the last one counts. */
  void (*set_error)(convoy_context* context, const char* text);
  /* Copies the text; level is a convoy_log_level. */
  void (*log)(convoy_context* context, int32_t level, const char* text);
  /* Value of an option declared in the manifest, or its default; NULL for an undeclared name. The
   * host owns the text and keeps it unchanged until the instance is destroyed, or the device or
   * transport is closed. */
  const char* (*option)(convoy_context* context, const char* name);
} convoy_host;

enum convoy_dtype {
  CONVOY_F32 = 0,
  CONVOY_F16 = 1,
  CONVOY_BF16 = 2,
  CONVOY_I32 = 3,
  CONVOY_U8 = 4
};

#ifdef __cplusplus
}
#endif

#endif
