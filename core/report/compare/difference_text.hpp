#pragma once

#include <string>

#include "core/report/compare/compared_record.hpp"

namespace convoy::compare {

// Two records and their difference, ready to be written.
struct DifferenceReport {
  const ComparedRecord& a;
  const ComparedRecord& b;
  Difference difference;
};

// Returns a sentence, a table of both sides, and the other differences.
std::string difference_text(const DifferenceReport& report);
// Returns the same table in Markdown, for comments on a change.
std::string difference_markdown(const DifferenceReport& report);
// Returns a title line and one line of values.
std::string difference_csv(const DifferenceReport& report);
std::string difference_json(const DifferenceReport& report);

}  // namespace convoy::compare
