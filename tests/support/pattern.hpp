#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace convoy {

// A regular expression as std::regex reads it. The library's is a template that each file using it
// would compile for one and a half seconds.
class Pattern {
 public:
  struct Match {
    std::size_t begin = 0;            // in characters of the text
    std::vector<std::string> groups;  // the first is the whole match; empty: no match
  };

  // Throws std::regex_error for what is no expression.
  explicit Pattern(const std::string& expression);

  bool is_all_of(const std::string& text) const;
  bool is_in(const std::string& text) const;
  // The groups of the whole text; none when the expression does not describe all of it.
  std::vector<std::string> groups_of(const std::string& text) const;
  // The groups of the first match; none without one.
  std::vector<std::string> first_in(const std::string& text) const;
  // From left to right, without overlaps.
  std::vector<Match> all_in(const std::string& text) const;

 private:
  struct Expression;
  std::shared_ptr<const Expression> expression_;
};

}  // namespace convoy
