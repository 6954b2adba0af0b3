#include "core/base/error.hpp"

namespace convoy::detail {

void check_failed(const char* expression, const char* file, int line, const std::string& operands) {
  std::string text =
      fmt::format("internal error: {} does not hold at {}:{}", expression, file, line);
  if (!operands.empty()) text += fmt::format(" (operands: {})", operands);
  throw std::logic_error(text);
}

}  // namespace convoy::detail
