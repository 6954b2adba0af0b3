#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace convoy {

// Verbs that run nothing take lists of device counts where run takes one number: the flags that
// they share with run see the last one.
struct DeviceCounts {
  std::vector<std::uint32_t> counts;  // empty: not given
  std::vector<std::string> arguments;
};

// Error kUsage naming the flag for what is no such list.
DeviceCounts take_counts(std::span<const std::string> arguments);

}  // namespace convoy
