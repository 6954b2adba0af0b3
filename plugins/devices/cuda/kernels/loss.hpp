#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// The results that a loss layer writes to host memory that the device addresses.
struct LossResult {
  double loss;
  std::uint64_t hits[2];
};

// Softmax and cross entropy of `batch` rows of scores, the mean over the rows. labels are in device
// memory and inside the classes. row_losses: batch doubles and row_hits 2 * batch bytes of scratch.
void cross_entropy(Stream stream, Type type, const void* scores, const std::int32_t* labels,
                   std::uint32_t batch, std::uint32_t classes, double* row_losses,
                   std::uint8_t* row_hits, LossResult* result);
// loss_scale: device memory, null = 1.
void cross_entropy_backward(Stream stream, Type type, void* write, const void* scores,
                            const std::int32_t* labels, std::uint32_t batch, std::uint32_t classes,
                            const float* loss_scale);

// The mean of all values.
void mean_loss(Stream stream, Type type, const void* read, std::uint64_t count, LossResult* result);
void mean_loss_backward(Stream stream, Type type, void* write, std::uint64_t count,
                        const float* loss_scale);

}  // namespace convoy::cuda
