#include "plugins/devices/cpu/blocked_pool.hpp"

#include <algorithm>

#include "plugins/devices/cpu/team.hpp"

namespace convoy::cpu {
namespace {

// Of a window along one dimension.
std::size_t cells_on_image(std::size_t window, std::size_t stride, std::size_t pad,
                           std::size_t kernel, std::size_t cells) {
  const std::size_t first = std::max(window * stride, pad);
  const std::size_t end = std::min(window * stride + kernel, cells + pad);
  return end > first ? end - first : 0;
}

}  // namespace

std::vector<float> window_shares(const PlaneWindows& shape) {
  std::vector<float> shares;
  for (std::size_t y = 0; y < shape.out_height; ++y) {
    const std::size_t rows =
        cells_on_image(y, shape.stride_height, shape.pad_top, shape.kernel_height, shape.in_height);
    for (std::size_t x = 0; x < shape.out_width; ++x) {
      const std::size_t columns =
          cells_on_image(x, shape.stride_width, shape.pad_left, shape.kernel_width, shape.in_width);
      shares.push_back(1.0f / static_cast<float>(std::max<std::size_t>(rows * columns, 1)));
    }
  }
  return shares;
}

BlockedPool::BlockedPool(const PlaneWindows& shape, std::size_t planes, std::size_t block)
    : shape_(shape),
      planes_(planes),
      block_(block),
      kernels_(&pool_kernels(block)),
      shares_(window_shares(shape)) {}

void BlockedPool::max_forward(const void* read, void* write, std::uint8_t* record) const {
  const auto* from = static_cast<const float*>(read);
  auto* to = static_cast<float*>(write);
  parallel_indices(planes_, [&](std::size_t plane) {
    kernels_->max_forward(shape_, from + plane * in_plane(), to + plane * out_plane(),
                          record == nullptr ? nullptr : record + plane * out_plane());
  });
}

void BlockedPool::max_backward(const void* gradient, const std::uint8_t* record, void* write,
                               bool add) const {
  const auto* from = static_cast<const float*>(gradient);
  auto* to = static_cast<float*>(write);
  parallel_indices(planes_, [&](std::size_t plane) {
    kernels_->max_backward(shape_, from + plane * out_plane(), record + plane * out_plane(),
                           to + plane * in_plane(), add);
  });
}

void BlockedPool::average_forward(const void* read, void* write) const {
  const auto* from = static_cast<const float*>(read);
  auto* to = static_cast<float*>(write);
  parallel_indices(planes_, [&](std::size_t plane) {
    kernels_->average_forward(shape_, from + plane * in_plane(), shares_.data(),
                              to + plane * out_plane());
  });
}

void BlockedPool::average_backward(const void* gradient, void* write, bool add) const {
  const auto* from = static_cast<const float*>(gradient);
  auto* to = static_cast<float*>(write);
  parallel_indices(planes_, [&](std::size_t plane) {
    kernels_->average_backward(shape_, from + plane * out_plane(), shares_.data(),
                               to + plane * in_plane(), add);
  });
}

}  // namespace convoy::cpu
