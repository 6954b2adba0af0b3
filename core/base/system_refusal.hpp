#pragma once

#include <exception>
#include <optional>

#include "core/base/error.hpp"

namespace convoy {

// What to tell the user where the system gave no memory, no thread or no file: the standard library
// says so with exceptions of its own. Nothing for exceptions that mean anything else.
std::optional<Error> refusal_by_system(const std::exception& exception);

}  // namespace convoy
