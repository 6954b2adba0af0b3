#include "core/job/without_effect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace convoy::job {

std::string without_effect(std::initializer_list<std::pair<const char*, bool>> flags,
                           std::string_view why) {
  std::vector<std::string> given;
  for (const auto& [flag, is_given] : flags)
    if (is_given) given.push_back(fmt::format("--{}", flag));
  if (given.empty()) return {};
  return fmt::format("{}: without effect, because {}", fmt::join(given, ", "), why);
}

}  // namespace convoy::job
