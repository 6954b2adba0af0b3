#include "core/plan/check/symbolic/weight.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace convoy::plan::check {
namespace {

// A fraction is simple if its denominator is at most kLargestDenominator, or the product of its
// numerator and denominator at most kLargestProduct.
constexpr std::uint64_t kLargestDenominator = 65536;
constexpr double kLargestProduct = 0x1p40;

std::uint64_t signed_field(bool negative, std::uint64_t magnitude) {
  const std::uint64_t element = magnitude % kPrime;
  return negative ? field_negative(element) : element;
}

// Returns the double itself: mantissa times a power of two.
std::uint64_t dyadic(double scalar) {
  int exponent = 0;
  const double mantissa = std::frexp(std::fabs(scalar), &exponent);
  const auto digits = static_cast<std::uint64_t>(std::ldexp(mantissa, 53));
  exponent -= 53;
  const std::uint64_t two = exponent < 0 ? field_inverse(2) : 2;
  const std::uint64_t scale = field_power(two, static_cast<std::uint64_t>(std::abs(exponent)));
  return field_multiply(signed_field(scalar < 0, digits), scale);
}

struct Fraction {
  std::uint64_t numerator = 0, denominator = 1;
};

// Returns the fraction with the smallest denominator whose value is accepted, among the convergents
// of the continued fraction. These are the best approximations for their size.
template <typename Accepts>
std::optional<Fraction> simplest_fraction(double magnitude, Accepts accepts) {
  double rest = magnitude;
  std::uint64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  while (rest < 0x1p40) {
    const auto digit = static_cast<std::uint64_t>(rest);
    const std::uint64_t p = digit * p1 + p0;
    const std::uint64_t q = digit * q1 + q0;
    if (q > kLargestDenominator &&
        static_cast<double>(p) * static_cast<double>(q) > kLargestProduct)
      break;
    if (accepts(static_cast<double>(p) / static_cast<double>(q))) return Fraction{p, q};
    if (rest == static_cast<double>(digit)) break;
    rest = 1.0 / (rest - static_cast<double>(digit));
    p0 = p1, q0 = q1, p1 = p, q1 = q;
  }
  return std::nullopt;
}

}  // namespace

Weight whole(std::uint64_t count) {
  return {count % kPrime, static_cast<double>(count)};
}

Weight reciprocal(std::uint64_t count) {
  return {field_inverse(count % kPrime), 1.0 / static_cast<double>(count)};
}

Weight from_scalar(double scalar) {
  const double magnitude = std::fabs(scalar);
  // An author's 1 - 0.8838 belongs to 0.8838, so a number in f64 decides where it is a fraction.
  constexpr double kRounding = 0x1p-46;  // rounding of a few operations in f64
  auto fraction = simplest_fraction(magnitude, [&](double value) {
    return std::fabs(value - magnitude) <= kRounding * magnitude;
  });
  if (!fraction)
    fraction = simplest_fraction(magnitude, [&](double value) {
      return static_cast<float>(value) == static_cast<float>(magnitude);
    });
  if (!fraction) return {dyadic(scalar), scalar};
  const auto [numerator, denominator] = *fraction;
  return {field_multiply(signed_field(scalar < 0, numerator), field_inverse(denominator)), scalar};
}

double number_of(std::uint64_t element) {
  std::uint64_t r0 = kPrime, r1 = element;
  std::int64_t t0 = 0, t1 = 1;
  while (r1 > (std::uint64_t{1} << 30)) {
    const std::uint64_t quotient = r0 / r1;
    r0 = std::exchange(r1, r0 - quotient * r1);
    t0 = std::exchange(t1, t0 - static_cast<std::int64_t>(quotient) * t1);
  }
  return t1 == 0 ? 0 : static_cast<double>(r1) / static_cast<double>(t1);
}

std::uint64_t counted(std::uint64_t weight, std::uint64_t replicas) {
  return field_multiply(field_negative(weight), replicas);
}

}  // namespace convoy::plan::check
