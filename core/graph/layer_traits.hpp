#pragma once

#include <cstdint>

namespace convoy::graph {

// What a training step must move for a layer, however well its passes are fused with others.
enum class LayerTraffic : uint8_t {
  kNothing,   // what it moves is small, or its neighbours move it
  kOperand,   // its second operand, forward and backward
  kBackward,  // nothing forward; backward its result and both gradients
  kPasses,    // all that its passes read and write
};

// Bits of LayerTraits::properties.
enum LayerProperty : uint32_t {
  kWindow = 1,        // it has kernel, stride and padding
  kReadsForward = 2,  // its backward pass also reads what the forward pass read or wrote
};

// What is true of all layers of a kind. A new kind is one row of the table, its shape and numbers
// in layer_rules.cpp and, if it owns any, its variables in variables.cpp.
struct LayerTraits {
  const char* name;       // in messages
  const char* file_name;  // in files that calibration writes
  const char* stem;       // of the names that the host gives
  const char* group;      // under which profiles add it up
  uint32_t flags;         // bits of convoy_layer_flag that it takes
  uint64_t minimum_inputs;
  uint64_t maximum_inputs;
  uint32_t properties;
  LayerTraffic traffic;
};

// Null for kinds that this host does not know.
const LayerTraits* find_layer_traits(uint32_t kind);

// Kinds are 1 to this.
uint32_t layer_kind_count();

}  // namespace convoy::graph
