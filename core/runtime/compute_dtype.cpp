#include "core/runtime/compute_dtype.hpp"

#include "core/base/error.hpp"
#include "core/plan/operation.hpp"

namespace convoy::runtime {
namespace {

bool is_half(std::uint32_t dtype) {
  return dtype == CONVOY_BF16 || dtype == CONVOY_F16;
}

}  // namespace

std::uint32_t choose_compute_dtype(std::uint32_t wanted,
                                   const std::vector<convoy_device_description>& devices) {
  if (wanted == CONVOY_F32) return wanted;
  std::uint32_t chosen = wanted;
  for (const convoy_device_description& device : devices) {
    if (!is_half(device.half_dtype))
      fail(ExitCode::kUnavailable,
           "--use_fp16: device {} ({}) has no 16-bit type for convolutions; leave out --use_fp16 "
           "to train in 32 bits, or take another --device",
           device.name, device.model);
    if (chosen == kHalfOfTheDevices) chosen = device.half_dtype;
    if (device.half_dtype != chosen)
      fail(ExitCode::kUnavailable,
           "--use_fp16: device {} ({}) computes in {}, but {} is needed; use devices of one kind",
           device.name, device.model, plan::dtype_name(device.half_dtype),
           plan::dtype_name(chosen));
  }
  return chosen;
}

std::string emulation_notice(std::uint32_t dtype,
                             const std::vector<convoy_device_description>& devices) {
  if (dtype == CONVOY_F32) return {};
  for (const convoy_device_description& device : devices) {
    if ((device.flags & CONVOY_DEVICE_EMULATES_HALF) == 0) continue;
    return fmt::format(
        "{} computes {} with 32-bit instructions: emulated, same numbers, not faster", device.name,
        plan::dtype_name(dtype));
  }
  return {};
}

}  // namespace convoy::runtime
