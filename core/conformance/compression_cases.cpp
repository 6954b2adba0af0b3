// Selected and quantised gradients, compared with the interpreter. Elements, indices and codes must
// be exact; scales and sums must be as close as rounding allows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/conformance/comparison.hpp"
#include "core/conformance/compression_operands.hpp"
#include "core/conformance/conformance.hpp"

namespace convoy::conformance {
namespace {

using Check = std::function<std::string(TestedDevice& device)>;
using MakeOperands = std::function<Operands(std::uint64_t count)>;

// Compares what the device writes with what the interpreter writes.
std::string compare_writes(TestedDevice& device, Operands right, double tolerance) {
  Operands measured = right;
  run_on(device, measured);
  right.compute();
  for (std::size_t w = 0; w < right.operation.writes.size(); ++w) {
    const plan::PlanSpan& span = right.operation.writes[w];
    const std::string name = fmt::format("write {}", w);
    if (tolerance == 0 || span.dtype != CONVOY_F32) {
      std::string wrong = first_difference(name, measured.buffers[span.buffer],
                                           right.buffers[span.buffer], span.dtype);
      if (!wrong.empty()) return wrong;
      continue;
    }
    const auto floats = [&](Operands& it) {
      return std::span(reinterpret_cast<const float*>(it.at(span)), span.count);
    };
    Comparison comparison;
    comparison.tensor(name, floats(measured), floats(right), tolerance, tolerance);
    if (!comparison.right()) return comparison.text();
  }
  return {};
}

std::string check_counts(TestedDevice& device, const MakeOperands& make, double tolerance) {
  for (const std::uint64_t count : kElementCounts) {
    const std::string wrong = compare_writes(device, make(count), tolerance);
    if (!wrong.empty()) return fmt::format("{} elements: {}", count, wrong);
  }
  return {};
}

void add(std::vector<ConformanceCase>& cases, const std::string& name, Check check) {
  cases.push_back({"compression", name,
                   [check = std::move(check)](const plugin::DevicePlugin&, TestedDevice& device) {
                     return check(device);
                   }});
}

void add_counts(std::vector<ConformanceCase>& cases, const std::string& name, MakeOperands make,
                double tolerance) {
  add(cases, name, [make = std::move(make), tolerance](TestedDevice& device) {
    return check_counts(device, make, tolerance);
  });
}

// Returns equal magnitudes, zeros, and numbers that are not finite.
std::vector<float> special_values() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values(4000, 0.0f);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = i % 2 == 0 ? 0.5f : -0.5f;
  values[1000] = -kInfinity;
  values[1001] = std::numeric_limits<float>::quiet_NaN();
  values[2002] = 1e-42f;
  values[3003] = -3e38f;
  return values;
}

std::uint64_t share_of(std::uint64_t count, std::uint64_t divisor) {
  return std::max<std::uint64_t>(count / divisor, 1);
}

// Returns the end of the name of a case that compresses.
const char* rest_in_words(Third rest) {
  if (rest == Third::kNone) return "";
  return rest == Third::kInPlace ? ", the rest in place" : ", and the rest";
}

void add_selections(std::vector<ConformanceCase>& cases) {
  for (const std::uint64_t divisor : {1u, 2u, 100u})
    for (const Third rest : {Third::kNone, Third::kApart, Third::kInPlace})
      add_counts(
          cases, fmt::format("top_k of 1 in {}{}", divisor, rest_in_words(rest)),
          [=](std::uint64_t count) {
            return top_k_of(noise(count, 2), share_of(count, divisor), rest);
          },
          0);
  for (const std::uint64_t taken : {1u, 2u, 3u, 700u, 2000u, 4000u})
    add(cases, fmt::format("top_k of {} of equal and infinite numbers", taken),
        [=](TestedDevice& device) {
          return compare_writes(device, top_k_of(special_values(), taken, Third::kApart), 0);
        });
  for (const std::uint64_t messages : {1u, 3u})
    for (const Third onto : {Third::kNone, Third::kApart, Third::kInPlace})
      add_counts(
          cases,
          fmt::format("scatter of {} messages{}", messages,
                      onto == Third::kNone      ? ""
                      : onto == Third::kInPlace ? " in place"
                                                : " onto another span"),
          [=](std::uint64_t count) {
            return scatter_onto(count, share_of(count, 4), messages, onto);
          },
          1e-6);
}

std::string check_outside(TestedDevice& device) {
  Operands it = scatter_onto(7, 3, 1, Third::kNone);
  const std::int32_t indices[] = {-1, 6, 7};
  std::memcpy(it.at(it.operation.reads[1]), indices, sizeof indices);
  return compare_writes(device, std::move(it), 0);
}

std::string name_of(const Coding& coding) {
  return coding.code == Code::kSign
             ? fmt::format("signs, {} per scale", coding.block)
             : fmt::format("{} bits, {} per scale", static_cast<std::uint64_t>(coding.code),
                           coding.block);
}

void add_codes(std::vector<ConformanceCase>& cases, const Coding& coding) {
  for (const Third rest : {Third::kNone, Third::kApart, Third::kInPlace})
    add_counts(
        cases, fmt::format("quantise in {}{}", name_of(coding), rest_in_words(rest)),
        [=](std::uint64_t count) { return quantise_of(noise(count, 4), coding, rest); }, 1e-6);
  add(cases, fmt::format("quantise of equal and infinite numbers in {}", name_of(coding)),
      [=](TestedDevice& device) {
        return compare_writes(device, quantise_of(special_values(), coding, Third::kApart), 1e-6);
      });
  for (const Third onto : {Third::kNone, Third::kApart, Third::kInPlace})
    add_counts(
        cases,
        fmt::format("dequantise of {} {}", name_of(coding),
                    onto == Third::kNone      ? "from one message"
                    : onto == Third::kInPlace ? "in place"
                                              : "from three onto another span"),
        [=](std::uint64_t count) {
          return dequantise_onto(count, coding, onto == Third::kApart ? 3 : 1, onto);
        },
        1e-6);
}

}  // namespace

void add_compression_cases(std::vector<ConformanceCase>& cases) {
  add_selections(cases);
  add(cases, "scatter of indices outside", check_outside);
  for (const Code code : {Code::kSign, Code::k4Bits, Code::k8Bits})
    for (const std::uint64_t block : {33u, 256u}) add_codes(cases, {code, block});
}

}  // namespace convoy::conformance
