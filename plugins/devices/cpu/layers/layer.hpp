#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <memory>

namespace convoy::cpu {

class ProgramBuilder;

// One node's share in a program. It is built in two passes, forward in node order and backward in
// reverse order, and then stays only to keep what its tasks use.
class Layer {
 public:
  virtual ~Layer() = default;
  virtual void build_forward(ProgramBuilder& builder, std::size_t node) = 0;
  // Called only for nodes whose gradient is needed.
  virtual void build_backward(ProgramBuilder& builder, std::size_t node) = 0;
};

// Throws std::invalid_argument for a kind that this version does not know.
std::unique_ptr<Layer> make_layer(const convoy_layer& layer);

// Whether results may have values that are not among those of the inputs, so that they are not
// rounded to bf16 because the inputs are. Throws as make_layer() does.
bool makes_new_values(const convoy_layer& layer);

}  // namespace convoy::cpu
