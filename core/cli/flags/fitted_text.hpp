#pragma once

#include <string>

namespace convoy::cli {

// Breaks the lines of a text between words, so that they fit a terminal of 80 columns. The rest of
// a line begins below its own beginning, and in lines of two columns, such as "  --flag   text",
// below the text.
std::string fitted_text(const std::string& text);

}  // namespace convoy::cli
