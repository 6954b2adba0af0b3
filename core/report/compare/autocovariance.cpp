#include "core/report/compare/autocovariance.hpp"

#include <bit>
#include <complex>
#include <numbers>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/numbers/statistics.hpp"

namespace convoy::compare {
namespace {

using Complex = std::complex<double>;

// The library's product also handles infinities, which takes most of its time.
Complex product(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

void reverse_bits(std::vector<Complex>& values) {
  for (std::size_t i = 1, reversed = 0; i < values.size(); ++i) {
    std::size_t bit = values.size() / 2;
    for (; (reversed & bit) != 0; bit /= 2) reversed ^= bit;
    reversed ^= bit;
    if (i < reversed) std::swap(values[i], values[reversed]);
  }
}

// Computes the discrete Fourier transform (Cooley and Tukey) in place. The number of values must be
// a power of two.
void transform(std::vector<Complex>& values) {
  const std::size_t size = values.size();
  std::vector<Complex> roots(size / 2);
  for (std::size_t i = 0; i < roots.size(); ++i)
    roots[i] =
        std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(size));
  reverse_bits(values);
  for (std::size_t half = 1; half < size; half *= 2)
    for (std::size_t first = 0; first < size; first += 2 * half)
      for (std::size_t i = 0; i < half; ++i) {
        Complex& even = values[first + i];
        Complex& odd = values[first + i + half];
        const Complex turned = product(roots[i * (size / (2 * half))], odd);
        odd = even - turned;
        even += turned;
      }
}

}  // namespace

std::vector<double> autocovariances(const std::vector<double>& series, std::size_t lags) {
  CONVOY_CHECK(!series.empty() && lags <= series.size());
  // Enough zeros are appended that no value is multiplied with one from the other end.
  std::vector<Complex> values(std::bit_ceil(series.size() + lags));
  const double centre = mean(series);
  for (std::size_t i = 0; i < series.size(); ++i) values[i] = series[i] - centre;
  transform(values);
  for (Complex& value : values) value = std::norm(value);
  // The transformed values are real and symmetric, so the transform is its own inverse except for a
  // factor.
  transform(values);
  std::vector<double> covariances(lags);
  for (std::size_t lag = 0; lag < lags; ++lag)
    covariances[lag] = values[lag].real() / static_cast<double>(values.size());
  return covariances;
}

}  // namespace convoy::compare
