#pragma once

#include <cstdint>
#include <span>

namespace convoy {

enum class InitializerKind { kZeros, kOnes, kConstant, kTruncatedNormal, kVarianceScaling, kHash };

// How a variable starts, as data. Use the named functions to make one.
struct InitializerSpec {
  InitializerKind kind = InitializerKind::kZeros;
  double value = 0;   // the constant; the standard deviation before truncation; hash: the scale
  double fan_in = 0;  // variance scaling only
  double offset = 0;  // hash only

  static InitializerSpec zeros() { return {}; }
  static InitializerSpec ones() { return {InitializerKind::kOnes}; }
  static InitializerSpec constant(double value) { return {InitializerKind::kConstant, value}; }
  // Normal, mean 0, cut at two nominal standard deviations: the variance is 0.7737 stddev^2.
  static InitializerSpec truncated_normal(double stddev) {
    return {InitializerKind::kTruncatedNormal, stddev};
  }
  // Truncated normal widened so that the variance is 1 / fan_in after the cut.
  static InitializerSpec variance_scaling(double fan_in) {
    return {InitializerKind::kVarianceScaling, 0, fan_in};
  }
  // offset + scale * u, where u in (-1/2, 1/2) comes from an integer hash of element, variable and
  // seed that is easy to restate in any language: for comparisons with other programs, bit by bit.
  static InitializerSpec hash(double scale, double offset) {
    return {InitializerKind::kHash, scale, 0, offset};
  }
};

// Fills `out`, the elements of one variable in row-major order. Every element is a pure function of
// (seed, variable_index, its position), so neither the number of threads nor the order in which
// variables are initialised matters, and every host computes the same bits.
void initialize(const InitializerSpec& spec, std::uint64_t seed, std::uint32_t variable_index,
                std::span<float> out, int threads = 1);

// The hash's u for one element: key is 1 + the variable's index for variables.
double hash_uniform(std::uint32_t element, std::uint32_t key, std::uint32_t seed);

}  // namespace convoy
