#pragma once

#include <memory>

#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/layers/library_batch_norm.hpp"
#include "plugins/devices/cpu/norms/channels_last_norm.hpp"

namespace convoy::cpu {

// Batch normalisation with the sum and the relu behind it if it computes them. In training it takes
// the batch's own statistics (the variance biased) and moves the running ones (the variance
// unbiased); in inference it takes the running ones.
class BatchNorm : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  void load_statistics(ProgramBuilder& builder, std::size_t node, const dnnl::memory& mean,
                       const dnnl::memory& variance);
  void update_statistics(ProgramBuilder& builder, std::size_t node, const dnnl::memory& mean,
                         const dnnl::memory& variance);

  GradientPart begin_input_gradient(ProgramBuilder& builder, std::size_t node);
  // With the plug-in's own kernels.
  void normalise(ProgramBuilder& builder, std::size_t node, const dnnl::memory& mean,
                 const dnnl::memory& variance);
  void differentiate(ProgramBuilder& builder, std::size_t node, const GradientPart& write,
                     const GradientPart (&parts)[2]);
  // With the library's: what lies behind the norm, and its gradient.
  void add_tail(ProgramBuilder& builder, std::size_t node);
  void undo_tail(ProgramBuilder& builder, std::size_t node);

  bool own_ = false;  // activations that the plug-in's own kernels know; others are the library's
  std::shared_ptr<const ChannelsLastNorm> bf16_;  // null: activations are f32
  LibraryBatchNorm library_;
  Workspace::Id mean_ = 0;
  Workspace::Id variance_ = 0;
};

}  // namespace convoy::cpu
