#pragma once

#include <string>

namespace convoy::cli {

// Breaks the lines of a help text between words, so that they fit a terminal of 80 columns. The
// rest of a line begins below its own beginning, and that of "  --flag   text" below the text, as
// in other indented lines of two columns.
std::string fitted_text(const std::string& text);

}  // namespace convoy::cli
