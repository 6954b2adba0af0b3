#include "plugins/devices/cpu/pools/blocked_pool.hpp"

#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {

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
