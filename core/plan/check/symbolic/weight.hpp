#pragma once

#include <cstdint>

#include "core/plan/check/symbolic/field.hpp"

namespace convoy::plan::check {

// A coefficient, exactly in the field, which decides, and as a number for people.
struct Weight {
  std::uint64_t field = 1;
  double value = 1;

  bool is_zero() const { return field == 0; }
};

inline Weight operator*(const Weight& a, const Weight& b) {
  return {field_multiply(a.field, b.field), a.value * b.value};
}
inline Weight operator+(const Weight& a, const Weight& b) {
  return {field_add(a.field, b.field), a.value + b.value};
}
inline Weight operator-(const Weight& a) {
  return {field_negative(a.field), -a.value};
}
inline Weight operator-(const Weight& a, const Weight& b) {
  return a + -b;
}
inline Weight inverse(const Weight& it) {
  return {field_inverse(it.field), 1 / it.value};
}

// Adds to the weight of a key of a map. A key without a weight gets this one.
template <typename Weights>
void add_weight(Weights& weights, const typename Weights::key_type& key, const Weight& weight) {
  const auto [it, inserted] = weights.try_emplace(key, weight);
  if (!inserted) it->second = it->second + weight;
}

Weight whole(std::uint64_t count);
Weight reciprocal(std::uint64_t count);

// Returns the exact value that an author meant by a scalar. It is the fraction with the smallest
// denominator that is equal to the scalar except for rounding in f64, or else in f32 (0.2f is 1/5).
// Without such a fraction, it is the number itself.
Weight from_scalar(double scalar);

// Returns the number that a field element stands for, if numerator and denominator are small.
double number_of(std::uint64_t element);
inline Weight from_field(std::uint64_t element) {
  return {element, number_of(element)};
}

// Returns how often a gradient of this weight counts. Gradients are subtracted and divided by the
// number of replicas.
std::uint64_t counted(std::uint64_t weight, std::uint64_t replicas);

}  // namespace convoy::plan::check
