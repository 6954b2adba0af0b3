#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/conformance/tested_device.hpp"
#include "core/plan/operation.hpp"

namespace convoy::conformance {

using Bytes = std::vector<std::byte>;

// Elements of the cases: odd, and large enough that a device shares the work out.
inline constexpr std::uint64_t kElementCounts[] = {1, 7, 1023, 100003};

// One operation and its memory, a buffer per span.
struct Operands {
  plan::Operation operation;
  std::vector<Bytes> buffers;

  std::byte* at(const plan::PlanSpan& span) { return buffers[span.buffer].data(); }
  // As the interpreter does it.
  void compute();
};

// A new buffer of zeros, whole.
plan::PlanSpan add_span(Operands& it, std::uint32_t dtype, std::uint64_t count);

// Runs it on the device. Throws Unsupported with its reason when it cannot.
void run_on(TestedDevice& device, Operands& it);

// "values: element 3 of 7 has the bits 0x1 instead of 0x2"; nothing when all bits are equal.
std::string first_difference(const std::string& name, const Bytes& measured, const Bytes& right,
                             std::uint32_t dtype);

}  // namespace convoy::conformance
