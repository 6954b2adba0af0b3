#pragma once

namespace convoy::report {

// The contents of report.css, figure.css, report.js and patterns.svg at build time.
extern const char* const kStyle;
extern const char* const kFigureStyle;
extern const char* const kScript;
extern const char* const kPatterns;

}  // namespace convoy::report
