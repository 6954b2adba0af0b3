#include "plugins/devices/cpu/layers/elementwise_tasks.hpp"

#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/cpu/team.hpp"

namespace convoy::cpu {

Task add_task(const dnnl::memory& write, const dnnl::memory& a, const dnnl::memory& b) {
  return [write, a, b, count = float_count(write)](const TaskContext&) {
    float* to = floats_of(write);
    const float* left = floats_of(a);
    const float* right = floats_of(b);
    parallel_stretches(count, [&](std::size_t first, std::size_t size) {
      kernels().add(to + first, left + first, right + first, size);
    });
  };
}

Task add_relu_task(const dnnl::memory& write, const dnnl::memory& a, const dnnl::memory& b,
                   double limit) {
  const auto bound = static_cast<float>(limit);
  return [write, a, b, bound, count = float_count(write)](const TaskContext&) {
    float* to = floats_of(write);
    const float* left = floats_of(a);
    const float* right = floats_of(b);
    parallel_stretches(count, [&](std::size_t first, std::size_t size) {
      kernels().add_relu(to + first, left + first, right + first, bound, size);
    });
  };
}

Task relu_task(const dnnl::memory& write, const dnnl::memory& read, double limit) {
  const auto bound = static_cast<float>(limit);
  return [write, read, bound, count = float_count(write)](const TaskContext&) {
    float* to = floats_of(write);
    const float* from = floats_of(read);
    parallel_stretches(count, [&](std::size_t first, std::size_t size) {
      kernels().relu(to + first, from + first, bound, size);
    });
  };
}

Task relu_backward_task(const dnnl::memory& gradient, const dnnl::memory& output, double limit) {
  const auto bound = static_cast<float>(limit);
  return [gradient, output, bound, count = float_count(gradient)](const TaskContext&) {
    float* values = floats_of(gradient);
    const float* from = floats_of(output);
    parallel_stretches(count, [&](std::size_t first, std::size_t size) {
      kernels().relu_backward(values + first, from + first, bound, size);
    });
  };
}

Task add_relu_backward_task(const dnnl::memory& gradient, const dnnl::memory& addend,
                            const dnnl::memory& output, double limit) {
  const auto bound = static_cast<float>(limit);
  return [gradient, addend, output, bound, count = float_count(gradient)](const TaskContext&) {
    float* values = floats_of(gradient);
    const float* others = floats_of(addend);
    const float* from = floats_of(output);
    parallel_stretches(count, [&](std::size_t first, std::size_t size) {
      kernels().add_relu_backward(values + first, others + first, from + first, bound, size);
    });
  };
}

Task round_task(const dnnl::memory& write, const dnnl::memory& read) {
  return [write, read, count = float_count(write)](const TaskContext&) {
    float* to = floats_of(write);
    const float* from = floats_of(read);
    parallel_stretches(count, [&](std::size_t first, std::size_t size) {
      kernels().round_to_bf16(to + first, from + first, size);
    });
  };
}

}  // namespace convoy::cpu
