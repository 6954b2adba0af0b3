#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace convoy {

// Returns a number with its noun: "1 device", "8 devices".
std::string counted(std::integral auto count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace convoy
