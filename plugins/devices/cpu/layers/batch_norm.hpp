#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/workspace.hpp"

namespace convoy::cpu {

// Batch normalisation with the relu behind it if there is one. In training it takes the batch's own
// statistics (the variance biased) and moves the running ones (the variance unbiased); in inference
// it takes the running ones.
class BatchNorm : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  void load_statistics(ProgramBuilder& builder, std::size_t node, const dnnl::memory& mean,
                       const dnnl::memory& variance);
  void update_statistics(ProgramBuilder& builder, std::size_t node, const dnnl::memory& mean,
                         const dnnl::memory& variance);

  dnnl::batch_normalization_forward::primitive_desc forward_;
  dnnl::normalization_flags flags_ = dnnl::normalization_flags::none;
  Workspace::Id mean_ = 0;
  Workspace::Id variance_ = 0;
  Workspace::Id record_ = 0;  // of the relu
};

}  // namespace convoy::cpu
