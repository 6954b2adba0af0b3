#pragma once

#include <cudnn_graph.h>

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "plugins/devices/cuda/libraries/cudnn_library.hpp"

namespace convoy::cuda {

// A descriptor of cuDNN's backend interface. Functions throw when cuDNN refuses.
class BackendDescriptor {
 public:
  explicit BackendDescriptor(cudnnBackendDescriptorType_t type) {
    cudnn().require(cudnn().create_descriptor(type, &descriptor_), "creating a descriptor");
  }
  BackendDescriptor(BackendDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, nullptr)) {}
  BackendDescriptor& operator=(BackendDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~BackendDescriptor() {
    if (descriptor_ != nullptr) static_cast<void>(cudnn().destroy_descriptor(descriptor_));
  }

  cudnnBackendDescriptor_t get() const { return descriptor_; }

  template <typename Value>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const Value& value) {
    set_all(name, type, 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, std::initializer_list<std::int64_t> values) {
    set_all(name, CUDNN_TYPE_INT64, static_cast<std::int64_t>(values.size()), values.begin());
  }
  void set(cudnnBackendAttributeName_t name, const BackendDescriptor& value) {
    set_all(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.descriptor_);
  }
  void set_all(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
               std::int64_t count, const void* values) {
    cudnn().require(cudnn().set_attribute(descriptor_, name, type, count, values),
                    "describing a computation");
  }
  void finalize() { cudnn().require(cudnn().finalize(descriptor_), "completing a description"); }
  // Whether cuDNN accepts the description.
  bool try_finalize() { return cudnn().finalize(descriptor_) == CUDNN_STATUS_SUCCESS; }

  std::int64_t integer(cudnnBackendAttributeName_t name) const {
    std::int64_t value = 0;
    std::int64_t count = 0;
    cudnn().require(cudnn().get_attribute(descriptor_, name, CUDNN_TYPE_INT64, 1, &count, &value),
                    "asking about a computation");
    return value;
  }

 private:
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

}  // namespace convoy::cuda
