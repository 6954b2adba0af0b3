#pragma once

#include <convoy/abi.h>

#include <cstddef>

#define CONVOY_AT(type, field, offset) \
  static_assert(offsetof(type, field) == (offset), "moved: " #type "." #field)
// Structs with a struct_size may get more fields at their end.
#define CONVOY_GROWS(type, size) static_assert(sizeof(type) >= (size), "shrank: " #type)
#define CONVOY_FROZEN(type, size) static_assert(sizeof(type) == (size), "changed: " #type)
#define CONVOY_VALUE(name, value) static_assert((name) == (value), "renumbered: " #name)
