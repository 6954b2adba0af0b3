#include "core/report/html/record_fields.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/base/text/json.hpp"

namespace convoy::report {
namespace {

// Squares and sums of such numbers are finite, too. No measured value comes close to it.
constexpr double kMost = 1e100;

bool is_usable(double value) {
  return std::abs(value) <= kMost;  // false for NaN
}

}  // namespace

const Json& field(const Json& record, const std::string& path) {
  static const Json kNothing;
  const Json* at = &record;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    if (!at->is_object() || !at->contains(name)) return kNothing;
    at = &(*at)[name];
    begin = end + 1;
  }
  return *at;
}

std::optional<double> number(const Json& record, const std::string& path) {
  const Json& it = field(record, path);
  if (!it.is_number() || !is_usable(it.get<double>())) return std::nullopt;
  return it.get<double>();
}

double listed_number(const Json& value) {
  const auto number = value.get<double>();
  return is_usable(number) ? number : 0;
}

double number_or_zero(const Json& record, const std::string& path) {
  return number(record, path).value_or(0);
}

std::size_t count_or_zero(const Json& record, const std::string& path) {
  return json_count(field(record, path)).value_or(0);
}

bool is_true(const Json& record, const std::string& path) {
  const Json& it = field(record, path);
  return it.is_boolean() && it.get<bool>();
}

std::string text(const Json& record, const std::string& path) {
  const Json& it = field(record, path);
  return it.is_string() ? it.get<std::string>() : std::string();
}

std::string Subject::figure_name(const std::string& figure) const {
  return alone ? figure : fmt::format("{}-{}", figure, this->number + 1);
}

std::string Subject::figure_title(const std::string& title) const {
  return alone ? title : fmt::format("{} ({})", title, name);
}

}  // namespace convoy::report
