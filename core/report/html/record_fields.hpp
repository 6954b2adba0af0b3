#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text/counted.hpp"
#include "core/report/html/figure.hpp"

namespace convoy::report {

using Json = nlohmann::ordered_json;

// The field at a path such as "total/step_seconds/p50"; null where a part of it is missing.
const Json& field(const Json& record, const std::string& path);
// The number at the path, if it is there, finite, and not so large that what is computed of it
// would be infinite.
std::optional<double> number(const Json& record, const std::string& path);
// A number in a list, whose exception of the library it leaves alone where it is none; 0 where
// number() would not take it.
double listed_number(const Json& value);
double number_or_zero(const Json& record, const std::string& path);
// Where there is no whole number from 0 on, 0.
std::size_t count_or_zero(const Json& record, const std::string& path);
bool is_true(const Json& record, const std::string& path);
// Empty where there is none.
std::string text(const Json& record, const std::string& path);

// What a page has of one record. Names of figures are unique with the record's number in them.
struct Subject {
  const Json& record;
  std::string name;     // of the file
  std::size_t number;   // among the records of the page
  bool alone;           // the only record
  std::string heading;  // "resnet50, 8 gpu devices, replicated"

  std::string figure_name(const std::string& name) const;
  // A figure's title says which record it is of, where there are several.
  std::string figure_title(const std::string& title) const;
};

}  // namespace convoy::report
