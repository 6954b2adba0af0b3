#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/conformance/tested_device.hpp"
#include "core/plan/operation.hpp"

namespace convoy::conformance {

using Bytes = std::vector<std::byte>;

// The numbers of elements in the cases. They are odd, and some are so large that a device divides
// the work.
inline constexpr std::uint64_t kElementCounts[] = {1, 7, 1023, 100003};

// One operation and its memory, with a buffer for each span.
struct Operands {
  plan::Operation operation;
  std::vector<Bytes> buffers;

  std::byte* at(const plan::PlanSpan& span) { return buffers[span.buffer].data(); }
  // Computes the operation as the interpreter does.
  void compute();
};

// Adds a new buffer of zeros and returns the span of all of it.
plan::PlanSpan add_span(Operands& it, std::uint32_t dtype, std::uint64_t count);

// Runs the operation on the device. Throws Unsupported with the device's reason if it cannot run
// it.
void run_on(TestedDevice& device, Operands& it);

// Returns "values: element 3 of 7 has the bits 0x1 instead of 0x2"; empty if all bits are equal.
std::string first_difference(const std::string& name, const Bytes& measured, const Bytes& right,
                             std::uint32_t dtype);

}  // namespace convoy::conformance
