#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace convoy {

// A regular expression in the syntax of std::regex. std::regex is a template, and each file that
// uses it would compile one and a half seconds longer.
class Pattern {
 public:
  struct Match {
    std::size_t begin = 0;            // in characters of the text
    std::vector<std::string> groups;  // the first is the whole match; empty: no match
  };

  // Throws std::regex_error for an invalid expression.
  explicit Pattern(const std::string& expression);

  bool is_all_of(const std::string& text) const;
  bool is_in(const std::string& text) const;
  // Returns the groups if the expression matches the whole text; none otherwise.
  std::vector<std::string> groups_of(const std::string& text) const;
  // Returns the groups of the first match; none without a match.
  std::vector<std::string> first_in(const std::string& text) const;
  // Returns all matches from left to right, without overlaps.
  std::vector<Match> all_in(const std::string& text) const;

 private:
  struct Expression;
  std::shared_ptr<const Expression> expression_;
};

}  // namespace convoy
