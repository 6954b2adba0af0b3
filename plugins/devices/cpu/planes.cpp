#include "plugins/devices/cpu/planes.hpp"

#include <omp.h>

namespace convoy::cpu {

Planes::Planes(Bf16* values, const ChannelsLast& image, float* scratch)
    : plane_floats_(image.cells * kBf16Block),
      halves_(values),
      image_(image),
      blocks_((image.channels + kBf16Block - 1) / kBf16Block),
      scratch_(scratch) {}

float* Planes::own_scratch() const {
  return scratch_ + static_cast<std::size_t>(omp_get_thread_num()) * plane_floats_;
}

Bf16* Planes::image(std::size_t plane) const {
  return halves_ + plane / blocks_ * image_.cells * image_.channels;
}

const float* Planes::read(std::size_t plane) const {
  return open(plane, true);
}

float* Planes::open(std::size_t plane, bool keeps_values) const {
  if (floats_ != nullptr) return floats_ + plane * plane_floats_;
  float* const values = own_scratch();
  if (keeps_values) {
    channels_last_kernels().gather(image_, image(plane), first_channel(plane), values);
  }
  return values;
}

void Planes::close(std::size_t plane) const {
  if (floats_ != nullptr) return;
  channels_last_kernels().scatter(image_, own_scratch(), first_channel(plane), image(plane));
}

}  // namespace convoy::cpu
