#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <memory>

namespace convoy::cpu {

class ProgramBuilder;

// One node's part of a program. It is built in two passes, forward in node order and backward in
// reverse order. After that it only keeps what its tasks use.
class Layer {
 public:
  virtual ~Layer() = default;
  virtual void build_forward(ProgramBuilder& builder, std::size_t node) = 0;
  // Called only for nodes whose gradient is needed.
  virtual void build_backward(ProgramBuilder& builder, std::size_t node) = 0;
};

// Throws std::invalid_argument for a kind that this version does not know.
std::unique_ptr<Layer> make_layer(const convoy_layer& layer);

// Whether results may have values that no input has, so that rounding the inputs to bf16 does not
// round the results. Throws as make_layer() does.
bool makes_new_values(const convoy_layer& layer);

}  // namespace convoy::cpu
