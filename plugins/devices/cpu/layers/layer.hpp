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

// Throws for a kind or a flag that this version does not know.
std::unique_ptr<Layer> make_layer(const convoy_layer& layer);

}  // namespace convoy::cpu
