#pragma once

#include <string>

namespace convoy::cli {

// Breaks the lines of a text between words, so that they fit a terminal of 80 columns. The
// continuation of a line has the indentation of the line. In lines of two columns, such as "
// --flag   text", it is aligned with the text.
std::string fitted_text(const std::string& text);

}  // namespace convoy::cli
