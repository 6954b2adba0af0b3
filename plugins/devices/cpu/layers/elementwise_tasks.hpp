#pragma once

#include "plugins/devices/cpu/programs/task.hpp"

namespace convoy::cpu {

// Tasks over the whole storage of memories with one description. The padding is included: it holds
// zeros and keeps them. limit: the relu's upper bound, 0 = none.

Task add_task(const dnnl::memory& write, const dnnl::memory& a, const dnnl::memory& b);
Task multiply_task(const dnnl::memory& write, const dnnl::memory& a, const dnnl::memory& b);
Task add_relu_task(const dnnl::memory& write, const dnnl::memory& a, const dnnl::memory& b,
                   double limit);
Task relu_task(const dnnl::memory& write, const dnnl::memory& read, double limit);
Task relu_backward_task(const dnnl::memory& gradient, const dnnl::memory& output, double limit);
// The same for the sum of two gradients, written to the first.
Task add_relu_backward_task(const dnnl::memory& gradient, const dnnl::memory& addend,
                            const dnnl::memory& output, double limit);
// write <- read rounded to bf16. Both have one description and may be the same memory.
Task round_task(const dnnl::memory& write, const dnnl::memory& read);

}  // namespace convoy::cpu
