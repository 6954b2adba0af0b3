#pragma once

#include <cstdint>

namespace convoy::graph {

// What a training step must move for a layer, however well its passes are fused with others.
enum class LayerTraffic : uint8_t {
  kNothing,   // the layer moves little, or its neighbours move its data
  kOperand,   // its second operand, forward and backward
  kBackward,  // nothing forward; backward its result and both gradients
  kPasses,    // all that its passes read and write
};

// Bits of LayerTraits::properties.
enum LayerProperty : uint32_t {
  kWindow = 1,        // it has kernel, stride and padding
  kReadsForward = 2,  // its backward pass also reads what the forward pass read or wrote
};

// The properties of all layers of a kind. To add a kind, add a row to the table, its shape and
// numbers in layer_rules.cpp and, if it owns any, its variables in variables.cpp.
struct LayerTraits {
  const char* name;       // name in messages
  const char* file_name;  // name in files that calibration writes
  const char* stem;       // stem of the names that the host gives
  const char* group;      // the group to which profiles add its time
  uint32_t flags;         // the bits of convoy_layer_flag that it accepts
  uint64_t minimum_inputs;
  uint64_t maximum_inputs;
  uint32_t properties;
  LayerTraffic traffic;
};

// Null for kinds that this host does not know.
const LayerTraits* find_layer_traits(uint32_t kind);

// Returns the number of kinds. Kinds count from 1.
uint32_t layer_kind_count();

}  // namespace convoy::graph
