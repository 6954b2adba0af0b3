#pragma once

#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {

// One float per channel of the node.
inline Desc channel_vector(const NodePlan& plan) {
  return {{plan.node->channels}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::x};
}

// Batch norm with oneDNN's primitives, for layouts that the plug-in's own kernels do not support,
// with the relu directly behind it if that has no limit.
class LibraryBatchNorm {
 public:
  void forward(ProgramBuilder& builder, std::size_t node, const dnnl::memory& mean,
               const dnnl::memory& variance);
  // write: the gradient of the input; parts: those of gamma and beta, if they exist.
  void backward(ProgramBuilder& builder, std::size_t node, const dnnl::memory& mean,
                const dnnl::memory& variance, const dnnl::memory& write,
                const GradientPart (&parts)[2]);

 private:
  dnnl::batch_normalization_forward::primitive_desc forward_;
  dnnl::normalization_flags flags_ = dnnl::normalization_flags::none;
  Workspace::Id record_ = 0;  // of the relu
};

}  // namespace convoy::cpu
