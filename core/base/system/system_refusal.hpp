#pragma once

#include <exception>
#include <optional>
#include <string>

#include "core/base/error.hpp"

namespace convoy {

// The same reason as text, as plug-ins and the loader of libraries give it, with what to do about
// it where a limit of the system is behind it.
std::string with_advice(const std::string& reason);
// The same; nothing where no limit is known to be behind it.
std::optional<std::string> advised(const std::string& reason);

// The same for a file that cannot be written, where a disk or a folder may be behind it, too.
std::string why_not_written(const std::string& reason);

// What to tell the user where the system gave no memory, no thread or no file: the standard library
// says so with exceptions of its own. Nothing for exceptions that mean anything else.
std::optional<Error> refusal_by_system(const std::exception& exception);
// The same, else the exception's own text with kFailed.
Error error_of(const std::exception& exception);

}  // namespace convoy
