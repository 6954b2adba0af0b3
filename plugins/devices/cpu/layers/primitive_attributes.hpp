#pragma once

#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// All primitives of a program share one scratchpad that the program owns.
inline dnnl::primitive_attr shared_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

// The same, and a relu with an upper limit (0 = none) on the result.
inline dnnl::primitive_attr with_relu(double limit) {
  dnnl::primitive_attr attributes = shared_scratchpad();
  dnnl::post_ops operations;
  if (limit > 0.0) {
    append_eltwise(operations, dnnl::algorithm::eltwise_clip, 0.0f, static_cast<float>(limit));
  } else {
    append_eltwise(operations, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  }
  attributes.set_post_ops(operations);
  return attributes;
}

}  // namespace convoy::cpu
