#include "core/cli/flags/distinct_values.hpp"

#include <set>
#include <string_view>

#include "core/base/error.hpp"

namespace convoy::cli {

void require_distinct(const std::string& flag, const std::string& list,
                      const std::vector<std::string>& values) {
  std::set<std::string_view> known;
  for (const std::string& value : values)
    if (!known.insert(value).second)
      fail(ExitCode::kUsage, "--{}={}: '{}' occurs twice", flag, list, value);
}

}  // namespace convoy::cli
