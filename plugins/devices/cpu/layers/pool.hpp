#pragma once

#include <memory>

#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/pools/pool_algorithm.hpp"
#include "plugins/devices/cpu/programs/workspace.hpp"

namespace convoy::cpu {

// Pools with oneDNN's primitives, for layouts that the plug-in's own kernels do not support.
class LibraryPool {
 public:
  void forward(ProgramBuilder& builder, std::size_t node);
  void backward(ProgramBuilder& builder, std::size_t node);

 private:
  dnnl::pooling_forward::primitive_desc forward_;
  Workspace::Id record_ = 0;  // where the maxima came from
};

// Maximum or average over windows; padding is ignored in both.
class Pool : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  void own_forward(ProgramBuilder& builder, std::size_t node);
  void own_backward(ProgramBuilder& builder, std::size_t node);

  std::shared_ptr<const PoolAlgorithm> own_;  // null: the library computes
  LibraryPool library_;
  Workspace::Id record_ = 0;  // where the maxima came from
};

}  // namespace convoy::cpu
