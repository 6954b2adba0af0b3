#include "core/cli/flags/fitted_text.hpp"

#include <algorithm>
#include <sstream>

namespace convoy::cli {
namespace {

constexpr std::size_t kWidth = 80;

// Returns the column at which the continuation of a long line begins.
std::size_t indentation(const std::string& line) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t text = line.find_first_not_of(' ', line.find("  ", first));
  return text > kWidth / 2 ? first : text;
}

// A word that is longer than a line is not broken.
void add_fitted(const std::string& line, std::string& to) {
  const std::string indent(indentation(line), ' ');
  std::string rest = line;
  while (rest.size() > kWidth) {
    std::size_t end = rest.rfind(' ', kWidth);
    if (end == std::string::npos || end <= indent.size()) end = rest.find(' ', kWidth);
    if (end == std::string::npos) break;
    to.append(rest, 0, rest.find_last_not_of(' ', end) + 1).append("\n");
    rest.replace(0, std::min(rest.find_first_not_of(' ', end), rest.size()), indent);
  }
  to += rest + '\n';
}

}  // namespace

std::string fitted_text(const std::string& text) {
  std::string fitted;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) add_fitted(line, fitted);
  return fitted;
}

}  // namespace convoy::cli
