#pragma once

#include <string>
#include <string_view>

namespace convoy {

// Returns a text field as RFC 4180 defines it: in quotes, with inner quotes doubled.
inline std::string csv_text(std::string_view text) {
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

}  // namespace convoy
