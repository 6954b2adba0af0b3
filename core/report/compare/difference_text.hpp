#pragma once

#include <string>

#include "core/report/compare/compared_record.hpp"

namespace convoy::compare {

// Two records and what is known of their difference, ready to be written.
struct DifferenceReport {
  const ComparedRecord& a;
  const ComparedRecord& b;
  Difference difference;
};

// A sentence, a table of both sides, and what else differs.
std::string difference_text(const DifferenceReport& report);
// The same table in Markdown, for comments on a change.
std::string difference_markdown(const DifferenceReport& report);
// A title line and one line.
std::string difference_csv(const DifferenceReport& report);
std::string difference_json(const DifferenceReport& report);

}  // namespace convoy::compare
