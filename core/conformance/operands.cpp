#include "core/conformance/operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/conformance/conformance.hpp"
#include "core/plan/reference/arithmetic.hpp"

namespace convoy::conformance {

void Operands::compute() {
  plan::run_arithmetic(operation, [this](const plan::PlanSpan& span) { return at(span); });
}

plan::PlanSpan add_span(Operands& it, std::uint32_t dtype, std::uint64_t count) {
  it.buffers.emplace_back(count * plan::dtype_bytes(dtype));
  return {static_cast<std::uint32_t>(it.buffers.size() - 1), dtype, 0, count};
}

void run_on(TestedDevice& device, Operands& it) {
  const auto regions = [&](const plan::SpanList& spans) {
    std::vector<convoy_region> result;
    for (const plan::PlanSpan& span : spans)
      result.push_back({it.at(span), span.count, span.dtype, 0});
    return result;
  };
  const std::vector<convoy_region> reads = regions(it.operation.reads);
  const std::vector<convoy_region> writes = regions(it.operation.writes);
  convoy_submission submission =
      operation(static_cast<std::uint32_t>(it.operation.kind), reads, writes);
  submission.scalar = it.operation.scalar;
  submission.reduction = it.operation.reduction;
  submission.sizes = it.operation.details->sizes;
  require_supported(device, submission);
  device.run(submission);
}

std::string first_difference(const std::string& name, const Bytes& measured, const Bytes& right,
                             std::uint32_t dtype) {
  const auto [wrong, expected] = std::ranges::mismatch(measured, right);
  if (wrong == measured.end()) return {};
  const auto bytes = plan::dtype_bytes(dtype);
  const auto element = static_cast<std::uint64_t>(wrong - measured.begin()) / bytes;
  const auto bits = [&](const Bytes& from) {
    std::uint32_t value = 0;
    std::memcpy(&value, from.data() + element * bytes, bytes);
    return value;
  };
  return fmt::format("{}: element {} of {} has the bits {:#x} instead of {:#x}", name, element,
                     right.size() / bytes, bits(measured), bits(right));
}

}  // namespace convoy::conformance
