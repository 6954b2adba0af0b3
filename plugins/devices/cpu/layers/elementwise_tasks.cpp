#include "plugins/devices/cpu/layers/elementwise_tasks.hpp"

#include <algorithm>
#include <array>

#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

template <std::size_t kReads>
using Operands = std::array<dnnl::memory, kReads>;

// Runs loop(write, reads, count) over a stretch of bf16 elements, converted to f32 in the
// first-level cache. The loop overwrites its first operand.
template <std::size_t kReads, typename Loop>
void run_in_bf16(Bf16* write, const std::array<const Bf16*, kReads>& reads, std::size_t count,
                 const Loop& loop) {
  constexpr std::size_t kHalfChunk = 1024;
  alignas(64) float values[kReads][kHalfChunk];
  std::array<const float*, kReads> operands;
  for (std::size_t i = 0; i < kReads; ++i) operands[i] = values[i];
  for (std::size_t done = 0; done < count; done += kHalfChunk) {
    const std::size_t size = std::min(kHalfChunk, count - done);
    for (std::size_t i = 0; i < kReads; ++i) {
      kernels().bf16_to_f32(values[i], reads[i] + done, size);
    }
    loop(values[0], operands, size);
    kernels().f32_to_bf16(write + done, values[0], size);
  }
}

// Returns a task that runs loop(write, reads, count) over all elements, which are all f32 or all
// bf16. For a loop that changes its first operand, the result and the first operand are the same
// memory.
template <std::size_t kReads, typename Loop>
Task elementwise_task(const dnnl::memory& write, const Operands<kReads>& reads, const Loop& loop) {
  const std::size_t count = element_count(write);
  if (is_bf16(write.get_desc())) {
    return [=](const TaskContext&) {
      parallel_stretches(count, [&](std::size_t first, std::size_t size) {
        std::array<const Bf16*, kReads> from;
        for (std::size_t i = 0; i < kReads; ++i) from[i] = halves_of(reads[i]) + first;
        run_in_bf16<kReads>(halves_of(write) + first, from, size, loop);
      });
    };
  }
  return [=](const TaskContext&) {
    parallel_stretches(count, [&](std::size_t first, std::size_t size) {
      std::array<const float*, kReads> from;
      for (std::size_t i = 0; i < kReads; ++i) from[i] = floats_of(reads[i]) + first;
      loop(floats_of(write) + first, from, size);
    });
  };
}

}  // namespace

Task add_task(const dnnl::memory& write, const dnnl::memory& a, const dnnl::memory& b) {
  return elementwise_task<2>(write, {a, b}, [](float* to, const auto& from, std::size_t count) {
    kernels().add(to, from[0], from[1], count);
  });
}

Task multiply_task(const dnnl::memory& write, const dnnl::memory& a, const dnnl::memory& b) {
  return elementwise_task<2>(write, {a, b}, [](float* to, const auto& from, std::size_t count) {
    kernels().multiply(to, from[0], from[1], count);
  });
}

Task add_relu_task(const dnnl::memory& write, const dnnl::memory& a, const dnnl::memory& b,
                   double limit) {
  const auto bound = static_cast<float>(limit);
  return elementwise_task<2>(write, {a, b},
                             [bound](float* to, const auto& from, std::size_t count) {
                               kernels().add_relu(to, from[0], from[1], bound, count);
                             });
}

Task relu_task(const dnnl::memory& write, const dnnl::memory& read, double limit) {
  const auto bound = static_cast<float>(limit);
  return elementwise_task<1>(write, {read},
                             [bound](float* to, const auto& from, std::size_t count) {
                               kernels().relu(to, from[0], bound, count);
                             });
}

Task relu_backward_task(const dnnl::memory& gradient, const dnnl::memory& output, double limit) {
  const auto bound = static_cast<float>(limit);
  return elementwise_task<2>(gradient, {gradient, output},
                             [bound](float* to, const auto& from, std::size_t count) {
                               kernels().relu_backward(to, from[1], bound, count);
                             });
}

Task add_relu_backward_task(const dnnl::memory& gradient, const dnnl::memory& addend,
                            const dnnl::memory& output, double limit) {
  const auto bound = static_cast<float>(limit);
  return elementwise_task<3>(gradient, {gradient, addend, output},
                             [bound](float* to, const auto& from, std::size_t count) {
                               kernels().add_relu_backward(to, from[1], from[2], bound, count);
                             });
}

Task round_task(const dnnl::memory& write, const dnnl::memory& read) {
  return elementwise_task<1>(write, {read}, [](float* to, const auto& from, std::size_t count) {
    kernels().round_to_bf16(to, from[0], count);
  });
}

}  // namespace convoy::cpu
