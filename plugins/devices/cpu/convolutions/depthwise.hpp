#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/depthwise.hpp"
#include "plugins/devices/cpu/planes.hpp"

namespace convoy::cpu {

// A convolution whose filters each read one channel, over planes; the padding of channels holds
// zeros. Weights are stored as [block of channels][tap][channel of the block]. Runs on the team of
// the calling thread. The images' shares of the weights' gradients are added in order, so the
// team's size does not change the result.
class DepthwiseConvolution {
 public:
  DepthwiseConvolution(const PlaneWindows& windows, std::size_t images, std::size_t channels,
                       std::size_t block);

  // The bias may be null, else it has one element per channel (without padding). A relu limit of 0
  // means none.
  struct Result {
    const float* bias;
    bool relu;
    double limit;
    const Planes& write;
  };
  void forward(const Planes& read, const float* weights, const Result& result) const;
  // Overwrites the gradient of the input, or adds to it.
  void backward_data(const Planes& gradient, const float* weights, const Planes& write,
                     bool add) const;

  // Floats of scratch memory that backward_weights() needs.
  std::size_t scratch_floats() const;
  // bias may be null.
  void backward_weights(const Planes& read, const Planes& gradient, float* weights, float* bias,
                        float* scratch) const;

 private:
  std::size_t filters() const { return windows_.kernel_height * windows_.kernel_width * block_; }
  std::size_t planes() const { return images_ * blocks_; }

  PlaneWindows windows_;
  std::size_t images_, channels_, block_, blocks_;
  const DepthwiseKernels* kernels_;
};

}  // namespace convoy::cpu
