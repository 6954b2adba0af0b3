#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text/counted.hpp"
#include "core/report/html/figure.hpp"

namespace convoy::report {

using Json = nlohmann::ordered_json;

// Returns the field at a path such as "total/step_seconds/p50"; null if a part of the path is
// missing.
const Json& field(const Json& record, const std::string& path);
// Returns the number at the path. Empty if there is none, if it is not finite, or if it is so large
// that computations with it would give infinity.
std::optional<double> number(const Json& record, const std::string& path);
// Returns a number in a list; 0 if number() would not accept it. If the value is not a number, the
// library's exception passes through.
double listed_number(const Json& value);
double number_or_zero(const Json& record, const std::string& path);
// Returns the whole number at the path; 0 if there is none that is at least 0.
std::size_t count_or_zero(const Json& record, const std::string& path);
bool is_true(const Json& record, const std::string& path);
// Returns the text at the path; empty if there is none.
std::string text(const Json& record, const std::string& path);

// One record on a page. The names of its figures contain the record's number, so that they are
// unique.
struct Subject {
  const Json& record;
  std::string name;     // name of the file
  std::size_t number;   // number among the records of the page
  bool alone;           // it is the only record
  std::string heading;  // "resnet50, 8 gpu devices, replicated"

  std::string figure_name(const std::string& name) const;
  // Returns a figure's title. With several records, it says which one the figure is about.
  std::string figure_title(const std::string& title) const;
};

}  // namespace convoy::report
