#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// Returns the parts of a text between separators, in order. "a,,b" has an empty part. An empty text
// has one empty part.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace convoy
