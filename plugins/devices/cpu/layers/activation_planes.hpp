#pragma once

#include <omp.h>

#include "plugins/devices/cpu/planes.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {

// The planes of an activation or of its gradient, for the task that is being built; with memory to
// convert them in where they are stored as bf16.
class ActivationPlanes {
 public:
  ActivationPlanes(ProgramBuilder& builder, const dnnl::memory& memory, std::size_t block)
      : memory_(memory) {
    const dnnl::memory::dims dims = dims_of(memory.get_desc());
    image_ = {static_cast<std::size_t>(dims[2] * dims[3]), static_cast<std::size_t>(dims[1])};
    plane_floats_ = image_.cells * block;
    if (!is_bf16(memory.get_desc())) return;
    const std::size_t floats =
        Planes::scratch_floats(image_, static_cast<std::size_t>(omp_get_max_threads()));
    scratch_ = builder.temporary({{static_cast<dnnl::memory::dim>(floats)},
                                  dnnl::memory::data_type::f32,
                                  dnnl::memory::format_tag::a});
  }

  // To be called when the task runs.
  Planes planes() const {
    return scratch_ ? Planes(halves_of(memory_), image_, floats_of(scratch_))
                    : Planes(floats_of(memory_), plane_floats_);
  }

 private:
  dnnl::memory memory_;
  dnnl::memory scratch_;
  ChannelsLast image_{};
  std::size_t plane_floats_ = 0;
};

}  // namespace convoy::cpu
