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

#if defined(__GNUC__)
#define CONVOY_EXPORT __attribute__((visibility("default")))
#define CONVOY_MANIFEST_SECTION __attribute__((section(".convoy.manifest"), used))
#endif

/* The host's per-call state; opaque to plug-ins. */
typedef struct convoy_context convoy_context;

enum convoy_status {
  CONVOY_OK = 0,
  CONVOY_FAILED = 1, /* so do all other values */
  /* What was asked for cannot be: the user's options contradict each other or the machine. The
   * plug-in works. */
  CONVOY_REFUSED = 2,
  /* A device waited for another one until its patience ended, or lost it. */
  CONVOY_TIMED_OUT = 3
};

enum convoy_log_level { CONVOY_LOG_DEBUG = 0, CONVOY_LOG_INFO = 1, CONVOY_LOG_WARNING = 2 };

/* What every plug-in may call. Lives as long as the instance it was passed to. */
typedef struct convoy_host {
  uint64_t struct_size;
  void (*set_error)(convoy_context* context, const char* text);
  void (*log)(convoy_context* context, int32_t level, const char* text);
  /* Value of an option declared in the manifest, or its default; NULL for an undeclared name. */
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
