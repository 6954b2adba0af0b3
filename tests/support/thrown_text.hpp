#pragma once

#include <convoy/error.hpp>
#include <string>

namespace convoy {

// Returns the text of the exception of this type that an action throws, or `otherwise` when it
// throws none.
template <typename Exception = Error, typename Action>
std::string thrown_text(Action action, const std::string& otherwise = {}) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  return otherwise;
}

}  // namespace convoy
