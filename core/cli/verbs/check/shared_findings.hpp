#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "core/plan/check/check.hpp"

namespace convoy::cli {

// What is found in the plans of one check: each finding once, with the plans that have it.
class SharedFindings {
 public:
  // `plan` says which plan the report is of.
  void add(const std::string& plan, const plan::check::CheckReport& report);
  // In the order in which they were found.
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
