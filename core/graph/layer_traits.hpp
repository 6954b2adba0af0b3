#pragma once

#include <cstdint>

namespace convoy {

// What is true of all layers of a kind. A new kind is one row here, its shape and numbers in
// layer_rules.cpp and, if it owns any, its variables in variables.cpp.
struct LayerTraits {
  const char* name;       // in messages
  const char* file_name;  // in files that calibration writes
  const char* stem;       // of the names that the host gives
  const char* group;      // under which profiles add it up
  uint32_t flags;         // bits of convoy_layer_flag that it takes
  uint64_t minimum_inputs;
  uint64_t maximum_inputs;
  bool window;  // it has kernel, stride and padding
};

// Null for kinds that this host does not know.
const LayerTraits* find_layer_traits(uint32_t kind);

// Kinds are 1 to this.
uint32_t layer_kind_count();

}  // namespace convoy
