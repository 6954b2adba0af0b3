#pragma once

#include <fmt/format.h>

#include <string>

#include "core/base/error.hpp"

namespace convoy::data {

// A record that cannot be used: damaged framing, not an Example, or a picture that cannot be
// decoded. It has a type of its own, because the policy on_bad_record decides whether it ends the
// run.
class BadRecord : public Error {
 public:
  explicit BadRecord(const std::string& text) : Error(ExitCode::kFailed, text) {}
};

template <typename... Args>
[[noreturn]] void reject_record(fmt::format_string<Args...> format, Args&&... args) {
  throw BadRecord(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace convoy::data
