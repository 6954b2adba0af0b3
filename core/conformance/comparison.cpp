#include "core/conformance/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace convoy::conformance {
namespace {

// Returns the difference divided by the allowed difference. Equal numbers, equal infinities and two
// NaNs have difference 0.
double excess(double measured, double expected, double allowed) {
  if (measured == expected || (std::isnan(measured) && std::isnan(expected))) return 0;
  const double difference = std::fabs(measured - expected);
  if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
  return allowed > 0 ? difference / allowed : std::numeric_limits<double>::infinity();
}

}  // namespace

void Comparison::element(double measured, double expected, double allowed,
                         const std::function<std::string()>& where) {
  ++compared_;
  const double ratio = excess(measured, expected, allowed);
  if (ratio <= 1) return;
  ++beyond_;
  if (ratio < worst_ratio_ || (ratio == worst_ratio_ && !worst_.empty())) return;
  worst_ratio_ = ratio;
  worst_ = fmt::format("{} is {:.9g} instead of {:.9g}, off by {:.2g} where {:.2g} is allowed",
                       where(), measured, expected, std::fabs(measured - expected), allowed);
}

void Comparison::tensor(const std::string& name, std::span<const float> measured,
                        std::span<const float> expected, double relative, double absolute) {
  const std::uint64_t dimensions[] = {expected.size()};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto right = static_cast<double>(expected[i]);
    element(static_cast<double>(measured[i]), right, relative * std::fabs(right) + absolute,
            [&] { return element_name(name, dimensions, i); });
  }
}

std::string Comparison::text() const {
  if (right()) return {};
  return fmt::format("{}; {} of the {} numbers that were compared are wrong", worst_, beyond_,
                     compared_);
}

std::string element_name(const std::string& name, std::span<const std::uint64_t> dimensions,
                         std::uint64_t element) {
  std::vector<std::uint64_t> index(dimensions.size());
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    index[i] = element % dimensions[i];
    element /= dimensions[i];
  }
  return fmt::format("{}[{}] of {} elements", name, fmt::join(index, ","),
                     fmt::join(dimensions, "x"));
}

}  // namespace convoy::conformance
