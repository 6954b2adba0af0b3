#include "core/runtime/state/weights_map.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/files/input_file.hpp"
#include "core/base/text/json.hpp"

namespace convoy::runtime {
namespace {

using Json = nlohmann::json;

// Reads "rows" and "row_value", if present.
void read_rows(const std::string& tensor, const Json& value, WeightsSource& source) {
  if (const auto rows = value.find("rows"); rows != value.end()) {
    const auto count = json_count(*rows);
    if (!count)
      fail(ExitCode::kUsage, "the rows of {} are {}: a whole number is expected", tensor,
           json_text(*rows));
    source.rows = *count;
  }
  source.row_value = value.value("row_value", 0.0f);
  if (!std::isfinite(source.row_value))
    fail(ExitCode::kUsage, "the row_value of {} is {}, more than 32 bits hold", tensor,
         json_text(value.at("row_value")));
}

WeightsSource parse_source(const std::string& tensor, const Json& value) {
  if (value.is_string()) return {value.get<std::string>(), 0, 0};
  WeightsSource source;
  source.from = value.at("from").get<std::string>();
  read_rows(tensor, value, source);
  return source;
}

WeightsMap parse_map(const Json& document) {
  WeightsMap map;
  for (const auto& [name, value] : document.at("tensors").items())
    map.tensors[name] = parse_source(name, value);
  map.ignored_suffixes = document.value("ignored_suffixes", std::vector<std::string>());
  return map;
}

}  // namespace

WeightsMap read_weights_map(const std::filesystem::path& path) {
  const InputFile file = read_input_file(path);
  if (!file.problem.empty())
    fail(ExitCode::kUsage,
         "--weights_map: cannot read {}: {}; give a JSON file, or a name from share/weights",
         path.string(), file.problem);
  try {
    return parse_map(parse_json(file.bytes));
  } catch (const Json::exception& error) {
    fail(ExitCode::kUsage, "--weights_map: {} is no map of weights: {}", path.string(),
         json_problem(error));
  } catch (const Error& error) {
    fail(ExitCode::kUsage, "--weights_map: {} is no map of weights: {}", path.string(),
         error.what());
  }
}

}  // namespace convoy::runtime
