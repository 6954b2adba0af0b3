#pragma once

#include <exception>
#include <optional>
#include <string>

#include "core/base/error.hpp"

namespace convoy {

// Takes a reason as text, as plug-ins and the loader of libraries give it. Returns the reason, with
// advice if a limit of the system caused it.
std::string with_advice(const std::string& reason);
// The same; empty if no known limit of the system caused it.
std::optional<std::string> advised(const std::string& reason);

// The same for a file that cannot be written. The cause may also be a disk or a folder.
std::string why_not_written(const std::string& reason);

// Returns what to tell the user if the system refused memory, a thread or a file. The standard
// library reports this by exceptions of its own. Empty for other exceptions.
std::optional<Error> refusal_by_system(const std::exception& exception);
// The same; for other exceptions, an Error with the exception's text and kFailed.
Error error_of(const std::exception& exception);

}  // namespace convoy
