#pragma once

#include <cstddef>

#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/programs/workspace.hpp"

namespace convoy::cpu {

class ProgramBuilder;

// Pools with oneDNN's primitives, for layouts that the plug-in's own kernels do not know.
class LibraryPool {
 public:
  void forward(ProgramBuilder& builder, std::size_t node);
  void backward(ProgramBuilder& builder, std::size_t node);

 private:
  dnnl::pooling_forward::primitive_desc forward_;
  Workspace::Id record_ = 0;  // where the maxima came from
};

}  // namespace convoy::cpu
