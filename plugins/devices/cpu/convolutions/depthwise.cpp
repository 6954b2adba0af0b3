#include "plugins/devices/cpu/convolutions/depthwise.hpp"

#include <algorithm>
#include <limits>

#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

constexpr float kUnbounded = std::numeric_limits<float>::infinity();
constexpr std::size_t kWidestBlock = 16;

}  // namespace

DepthwiseConvolution::DepthwiseConvolution(const PlaneWindows& windows, std::size_t images,
                                           std::size_t channels, std::size_t block)
    : windows_(windows),
      images_(images),
      channels_(channels),
      block_(block),
      blocks_((channels + block - 1) / block),
      kernels_(&depthwise_kernels(block)) {}

void DepthwiseConvolution::forward(const Planes& read, const float* weights,
                                   const Result& result) const {
  const float lower = result.relu ? 0.0f : -kUnbounded;
  const float upper =
      result.relu && result.limit > 0.0 ? static_cast<float>(result.limit) : kUnbounded;
  parallel_indices(planes(), [&](std::size_t plane) {
    const std::size_t first = plane % blocks_ * block_;
    float bias[kWidestBlock] = {};
    if (result.bias != nullptr) {
      std::copy_n(result.bias + first, std::min(block_, channels_ - first), bias);
    }
    kernels_->forward(windows_, read.read(plane), weights + plane % blocks_ * filters(),
                      {result.bias == nullptr ? nullptr : bias, lower, upper},
                      result.write.open(plane, false));
    result.write.close(plane);
  });
}

void DepthwiseConvolution::backward_data(const Planes& gradient, const float* weights,
                                         const Planes& write, bool add) const {
  parallel_indices(planes(), [&](std::size_t plane) {
    kernels_->backward_data(windows_, gradient.read(plane), weights + plane % blocks_ * filters(),
                            write.open(plane, add), add);
    write.close(plane);
  });
}

std::size_t DepthwiseConvolution::scratch_floats() const {
  return planes() * (filters() + block_);
}

void DepthwiseConvolution::backward_weights(const Planes& read, const Planes& gradient,
                                            float* weights, float* bias, float* scratch) const {
  const std::size_t share = filters() + block_;
  parallel_indices(planes(), [&](std::size_t plane) {
    float* const own = scratch + plane * share;
    kernels_->backward_weights(windows_, read.read(plane), gradient.read(plane), own,
                               bias == nullptr ? nullptr : own + filters());
  });
  parallel_indices(blocks_, [&](std::size_t block) {
    double totals[(kMostDepthwiseTaps + 1) * kWidestBlock] = {};
    for (std::size_t image = 0; image < images_; ++image) {
      const float* const own = scratch + (image * blocks_ + block) * share;
      const std::size_t count = bias == nullptr ? filters() : share;
      for (std::size_t i = 0; i < count; ++i) totals[i] += static_cast<double>(own[i]);
    }
    const auto rounded = [](double value) { return static_cast<float>(value); };
    std::transform(totals, totals + filters(), weights + block * filters(), rounded);
    if (bias == nullptr) return;
    const std::size_t lanes = std::min(block_, channels_ - block * block_);
    std::transform(totals + filters(), totals + filters() + lanes, bias + block * block_, rounded);
  });
}

}  // namespace convoy::cpu
