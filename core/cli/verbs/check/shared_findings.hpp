#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "core/plan/check/check.hpp"

namespace convoy::cli {

// The findings in the plans of one check. Each finding is listed once, with the plans that have it.
class SharedFindings {
 public:
  // `plan` names the plan that the report is about.
  void add(const std::string& plan, const plan::check::CheckReport& report);
  // Prints the findings in the order in which they were added.
  void print(std::ostream& out) const;

 private:
  struct Entry {
    std::string text;
    std::vector<std::string> plans;
  };
  void add_line(const std::string& plan, const std::string& text);

  std::vector<Entry> entries_;
};

}  // namespace convoy::cli
