#pragma once

#include <cstddef>

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

}  // namespace convoy::cpu
