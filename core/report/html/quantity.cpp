#include "core/report/html/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace convoy::report {
namespace {

// Formats "12345.6" as "12,345.6".
std::string grouped(std::string digits) {
  const std::size_t first = digits.starts_with("-") ? 1 : 0;
  std::size_t at = std::min(digits.find('.'), digits.size());
  while (at > first + 3) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

// Ignores rounding errors of a computation.
bool is_whole(double value) {
  return std::abs(value - std::round(value)) < 1e-9 * std::max(1.0, std::abs(value));
}

Scale bytes_scale(double largest) {
  if (largest >= 1e9) return {1e-9, "GB"};
  if (largest >= 1e6) return {1e-6, "MB"};
  if (largest >= 1e3) return {1e-3, "kB"};
  return {1, "B"};
}

Scale seconds_scale(double largest) {
  if (largest >= 1) return {1, "s"};
  if (largest >= 1e-3) return {1e3, "ms"};
  return {1e6, "\u00b5s"};
}

// Returns 1, 2 or 5 times a power of ten, at or above the value.
double round_step(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace

Scale scale_for(Unit unit, double largest) {
  switch (unit) {
    case Unit::kSeconds:
      return seconds_scale(largest);
    case Unit::kBytes:
      return bytes_scale(largest);
    case Unit::kRate:
      return {1, "images/s"};
    case Unit::kShare:
      return {100, "%"};
    case Unit::kWatts:
      return {1, "W"};
    case Unit::kCelsius:
      return {1, "\u00b0C"};
    case Unit::kMegahertz:
      return {1, "MHz"};
    default:
      return {1, ""};
  }
}

std::string plain_number(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value)) return "unknown";
  if (size >= 100 || is_whole(value)) return grouped(fmt::format("{:.0f}", value));
  if (size >= 10) return fmt::format("{:.1f}", value);
  if (size >= 0.1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.2g}", value);
}

std::string quantity(double value, Unit unit) {
  const Scale scale = scale_for(unit, std::abs(value));
  const std::string number = plain_number(value * scale.factor);
  return scale.suffix.empty() ? number : number + " " + scale.suffix;
}

std::vector<double> ticks_up_to(double largest, const Scale& scale, bool whole, int most) {
  const double shown = std::isfinite(largest) && largest > 0 ? largest * scale.factor : 1;
  double step = round_step(shown / most);
  if (whole) step = std::max(1.0, std::ceil(step));
  std::vector<double> ticks;
  for (int i = 0; i <= most + 1; ++i) {
    ticks.push_back(i * step / scale.factor);
    if (i * step >= shown * (1 - 1e-9)) break;
  }
  return ticks;
}

std::vector<double> ticks_between(const Interval& range, const Scale& scale, bool whole, int most) {
  if (range.low == 0) return ticks_up_to(range.high, scale, whole, most);
  const double step = round_step((range.high - range.low) * scale.factor / most) / scale.factor;
  std::vector<double> ticks;
  for (double tick = std::ceil(range.low / step - 1e-9) * step; tick <= range.high + 1e-9 * step;
       tick += step)
    ticks.push_back(tick);
  return ticks;
}

std::string tick_label(double value, const Scale& scale) {
  const double shown = value * scale.factor;
  const double rounded = std::round(shown * 1e6) / 1e6;
  constexpr double kLong = 1e7;
  if (std::abs(rounded) >= kLong) return fmt::format("{:.3g}", rounded);
  if (std::abs(rounded) >= 1000) return grouped(fmt::format("{:.0f}", rounded));
  return fmt::format("{:.4g}", rounded);
}

}  // namespace convoy::report
