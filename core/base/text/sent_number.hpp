#pragma once

#include <string_view>

#include "core/base/error.hpp"
#include "core/base/text/number.hpp"

namespace convoy {

// Returns the number in another task's message. Error(kUnavailable) with `what` it is for any other
// text, so that the run ends as with every other unreadable message.
template <typename Number>
Number sent_number(std::string_view text, const char* what, int base = 10) {
  const std::optional<Number> number = parse_number<Number>(text, base);
  if (!number)
    fail(ExitCode::kUnavailable, "another task sent '{}' as its {}, which is no number", text,
         what);
  return *number;
}

}  // namespace convoy
