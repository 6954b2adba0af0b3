#include "core/job/without_effect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace convoy::job {

std::string without_effect(const std::vector<std::pair<std::string, bool>>& flags,
                           std::string_view why) {
  std::vector<std::string> given;
  for (const auto& [flag, is_given] : flags)
    if (is_given) given.push_back("--" + flag);
  if (given.empty()) return {};
  return fmt::format("{}: without effect, because {}", fmt::join(given, ", "), why);
}

}  // namespace convoy::job
