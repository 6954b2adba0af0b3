#pragma once

#include <memory>

#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/layers/library_batch_norm.hpp"
#include "plugins/devices/cpu/norms/channels_last_norm.hpp"

namespace convoy::cpu {

// Batch normalisation, with the sum and the relu behind it if it computes them. In training it uses
// the batch's own statistics (the variance biased) and updates the running ones (the variance
// unbiased). In inference it uses the running ones.
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
  // Uses the plug-in's own kernels.
  void normalise(ProgramBuilder& builder, std::size_t node, const dnnl::memory& mean,
                 const dnnl::memory& variance);
  void differentiate(ProgramBuilder& builder, std::size_t node, const GradientPart& write,
                     const GradientPart (&parts)[2]);
  // For the library's batch norm: the work behind the norm, and its gradient.
  void add_tail(ProgramBuilder& builder, std::size_t node);
  void undo_tail(ProgramBuilder& builder, std::size_t node);

  // the plug-in's own kernels support the activations; else the library computes
  bool own_ = false;
  std::shared_ptr<const ChannelsLastNorm> bf16_;  // null: activations are f32
  LibraryBatchNorm library_;
  Workspace::Id mean_ = 0;
  Workspace::Id variance_ = 0;
};

}  // namespace convoy::cpu
