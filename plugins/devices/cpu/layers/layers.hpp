#pragma once

#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/programs/workspace.hpp"

// The layers that have one class in one file. Layers with several algorithms have headers of their
// own: convolutions, fully connected layers, batch norm and pools.
namespace convoy::cpu {

// max(x, 0), with an upper limit if there is one; in place if possible.
class Relu : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

// Sigmoid, tanh, silu and gelu: element-wise functions, which the library computes in any layout of
// the activation.
class Curve : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  dnnl::eltwise_forward::primitive_desc forward_;
};

// Zeroes elements at random and scales the others by 1/keep. The choice is a hash of seed, step,
// replica, node and the element's index in NCHW order. So the backward pass can repeat it without
// storing it, and it depends neither on the storage nor on the number of threads.
class Dropout : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

// Sum of its inputs, element by element, with the relu behind it if there is one.
class Add : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

// Concatenates its inputs along channels.
class Concat : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

// Surrounds its input with channels of zeros: half of the missing ones before, half (rounded up)
// after.
class PadChannels : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

// The product of two activations; the second may have one factor per image and channel.
class Multiply : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

// Multiplies every channel by its gamma.
class Scale : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

// More cells for every cell, copied or interpolated, by the library.
class Upsample : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  dnnl::resampling_forward::primitive_desc forward_;
};

// x / (offset + alpha * sum of squares of 2 * radius + 1 neighbouring channels) ^ beta.
class LocalResponseNorm : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  dnnl::lrn_forward::primitive_desc forward_;
  Workspace::Id record_ = 0;
};

// Normalises every cell over its channels. Own kernels support activations in blocks of channels
// and with channels last; the library requires channels last, also in f32.
class LayerNorm : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  Workspace::Id statistics_ = 0;  // means of all cells, then 1 / deviations
};

// Puts a learned cell before those of every image.
class ClassToken : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

// Adds a learned value per cell and channel to every image.
class Position : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

// Softmax attention with the library's matrix products and softmax. With channels last, queries,
// keys and values of a head are matrices with gaps between their rows, so nothing is copied.
class Attention : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  dnnl::memory differentiate_softmax(ProgramBuilder& builder, std::size_t node,
                                     const dnnl::memory& gradient, const dnnl::memory& values);

  dnnl::softmax_forward::primitive_desc softmax_;
  Workspace::Id weights_ = 0;  // of all heads, from the forward pass
};

// Mean over the batch of the cross-entropy of softmax and label, and how many labels are among the
// first one and five. A label counts if fewer than k classes score strictly higher.
class SoftmaxCrossEntropy : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

// Loss = mean of all inputs.
class MeanLoss : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

}  // namespace convoy::cpu
