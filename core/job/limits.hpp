#pragma once

#include <cstdint>

#include "topology/graph/several_hosts.hpp"

// Upper bounds of flags that count something. A larger value is taken for a typing error, even if
// the field could hold it.
namespace convoy {

inline constexpr std::uint32_t kMostImages = 1'000'000'000;  // per device and step
inline constexpr std::uint32_t kMostDevices = 1024;          // per host
inline constexpr std::uint32_t kMostHosts = topology::kMostHosts;
inline constexpr std::uint32_t kMostDevicesInAll = 16384;  // of all hosts
inline constexpr std::uint64_t kMostBuckets = 20'000;
inline constexpr std::uint32_t kMostThreads = 4096;          // for a device, or for the input
inline constexpr std::uint32_t kMostPreparedBatches = 4096;  // per device
// Small enough that the sum of two numbers of steps fits into 64 bits.
inline constexpr double kMostSteps = 1e15;
inline constexpr double kMostEpochs = 1e9;
inline constexpr double kMostRepeats = 1000;    // of a run
inline constexpr double kMostSeconds = 1e9;     // about 30 years
inline constexpr double kMostImageRate = 1e12;  // images per second of one device
inline constexpr double kMostBucketMb = 1e6;    // of 2^20 bytes

}  // namespace convoy
