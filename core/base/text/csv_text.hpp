#pragma once

#include <string>
#include <string_view>

namespace convoy {

// A field of text as RFC 4180 has it: in quotes, which are doubled inside.
inline std::string csv_text(std::string_view text) {
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

}  // namespace convoy
