#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace convoy::runtime {

// Stands for the 16-bit type in which the devices compute.
constexpr std::uint32_t kHalfOfTheDevices = CONVOY_NONE;

// The type of activations and operands for devices that all compute in it: CONVOY_F32, CONVOY_BF16
// or CONVOY_F16, from such a type or kHalfOfTheDevices. Error kUnavailable names the device that
// has no such type.
std::uint32_t choose_compute_dtype(std::uint32_t wanted,
                                   const std::vector<convoy_device_description>& devices);

// A note on speed for the user when devices emulate the type; else empty.
std::string emulation_notice(std::uint32_t dtype,
                             const std::vector<convoy_device_description>& devices);

}  // namespace convoy::runtime
