#pragma once

namespace convoy::report {

// The files report.css, figure.css, report.js and patterns.svg, as the build found them.
extern const char* const kStyle;
extern const char* const kFigureStyle;
extern const char* const kScript;
extern const char* const kPatterns;

}  // namespace convoy::report
