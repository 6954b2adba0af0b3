#include "core/base/numbers/bounds.hpp"

#include <fmt/format.h>

#include <cmath>

namespace convoy {

std::string bounds_text(const Bounds& bounds, bool whole) {
  // Writes an integer as 1000000000, not as 1e+09.
  const auto text = [&](double bound) {
    return whole ? fmt::format("{:.0f}", bound) : fmt::format("{}", bound);
  };
  std::string kind = whole ? "an integer" : "a number";
  const bool has_least = std::isfinite(bounds.least);
  const bool has_most = std::isfinite(bounds.most);
  if (bounds.is_above)
    return fmt::format("{} above {}{}", kind, text(bounds.least),
                       has_most ? fmt::format(" and up to {}", text(bounds.most)) : "");
  if (bounds.is_below && has_least)
    return fmt::format("{} of at least {} and below {}", kind, text(bounds.least),
                       text(bounds.most));
  if (has_least && has_most)
    return fmt::format("{} from {} to {}", kind, text(bounds.least), text(bounds.most));
  if (has_least) return fmt::format("{} of at least {}", kind, text(bounds.least));
  if (has_most) return fmt::format("{} of at most {}", kind, text(bounds.most));
  return kind;
}

}  // namespace convoy
