#include "tests/support/pattern.hpp"

#include <regex>

namespace convoy {
namespace {

std::vector<std::string> texts_of(const std::smatch& match) {
  return {match.begin(), match.end()};
}

}  // namespace

struct Pattern::Expression {
  std::regex regex;
};

Pattern::Pattern(const std::string& expression)
    : expression_(std::make_shared<const Expression>(Expression{std::regex(expression)})) {}

bool Pattern::is_all_of(const std::string& text) const {
  return !groups_of(text).empty();
}

bool Pattern::is_in(const std::string& text) const {
  return !first_in(text).empty();
}

std::vector<std::string> Pattern::groups_of(const std::string& text) const {
  std::smatch match;
  std::regex_match(text, match, expression_->regex);
  return texts_of(match);
}

std::vector<std::string> Pattern::first_in(const std::string& text) const {
  std::smatch match;
  std::regex_search(text, match, expression_->regex);
  return texts_of(match);
}

std::vector<Pattern::Match> Pattern::all_in(const std::string& text) const {
  std::vector<Match> all;
  for (std::sregex_iterator it(text.begin(), text.end(), expression_->regex), end; it != end; ++it)
    all.push_back({static_cast<std::size_t>(it->position()), texts_of(*it)});
  return all;
}

}  // namespace convoy
