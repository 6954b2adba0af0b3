#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plugins/devices/cpu/kernels/channels_last.hpp"
#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// The input of a task in addition to the memory it was built with.
struct TaskContext {
  const convoy_compute& compute;
  std::uint64_t step;
  dnnl_stream_t stream;
};

using Task = std::function<void(const TaskContext&)>;
using TaskList = std::vector<Task>;

// A primitive with its arguments, which runs without building anything in a step.
Task primitive_task(const dnnl::primitive& primitive,
                    const std::unordered_map<int, dnnl::memory>& arguments);

// Returns the name of oneDNN's implementation, for messages and profiles.
std::string implementation_name(const dnnl::primitive& primitive);

// The factor on the gradient of the loss.
inline double loss_scale_of(const convoy_compute& compute) {
  return compute.loss_scale == nullptr ? 1.0 : static_cast<double>(*compute.loss_scale);
}

inline float* floats_of(const dnnl::memory& memory) {
  return static_cast<float*>(memory.get_data_handle());
}

inline Bf16* halves_of(const dnnl::memory& memory) {
  return static_cast<Bf16*>(memory.get_data_handle());
}

inline bool is_bf16(const Desc& desc) {
  return type_of(desc) == dnnl::memory::data_type::bf16;
}

// The number of elements in storage, f32 or bf16, padding included.
inline std::size_t element_count(const dnnl::memory& memory) {
  const Desc desc = memory.get_desc();
  return desc.get_size() / (is_bf16(desc) ? sizeof(Bf16) : sizeof(float));
}

}  // namespace convoy::cpu
