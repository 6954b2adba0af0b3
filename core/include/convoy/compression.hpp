#pragma once

// The parts of messages of compressed gradients, for Planner::quantise and Planner::scatter.

#include <convoy/abi.h>
#include <convoy/spans.hpp>

#include <cstdint>
#include <optional>

namespace convoy {

// The form in which an element is coded; convoy_code says how it is rounded and stored.
enum class Code : std::uint64_t {
  kSign = CONVOY_CODE_SIGN,     // -1, 0 or 1: five elements in a byte
  k4Bits = CONVOY_CODE_4_BITS,  // two elements in a byte
  k8Bits = CONVOY_CODE_8_BITS,
};

// How spans are quantised: the kind of code, and the number of elements that share a scale.
struct Coding {
  Code code = Code::k8Bits;
  std::uint64_t block = 256;

  // Elements in a byte of codes.
  std::uint64_t per_byte() const { return code == Code::kSign ? 5 : code == Code::k4Bits ? 2 : 1; }
  // The size of a message of `count` elements: bytes of codes (kU8), and number of scales (kF32).
  std::uint64_t code_bytes(std::uint64_t count) const {
    return (count + per_byte() - 1) / per_byte();
  }
  std::uint64_t scales(std::uint64_t count) const {
    return count / block + (count % block > 0 ? 1 : 0);
  }
};

// How many messages, one after the other, are added to the contents of `onto`, or to zero.
struct MessageOptions {
  std::uint64_t messages = 1;
  std::optional<Span> onto = {};
};

}  // namespace convoy
