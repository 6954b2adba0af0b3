#pragma once

#include <fmt/format.h>

#include <convoy/error.hpp>
#include <string>

namespace convoy {

template <typename... Args>
[[noreturn]] void fail(ExitCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

namespace detail {
[[noreturn]] void check_failed(const char* expression, const char* file, int line,
                               const std::string& operands);

template <typename A, typename B>
std::string describe_operands(const A& a, const B& b) {
  return fmt::format("{} and {}", a, b);
}
}  // namespace detail

}  // namespace convoy

// For broken invariants, which are defects in convoy and not in its input. Aborts the run and shows
// both operands.
#define CONVOY_CHECK(condition)                                                           \
  do {                                                                                    \
    if (!(condition)) ::convoy::detail::check_failed(#condition, __FILE__, __LINE__, {}); \
  } while (false)

#define CONVOY_CHECK_OP_(op, a, b)                                                             \
  do {                                                                                         \
    const auto& check_a_ = (a);                                                                \
    const auto& check_b_ = (b);                                                                \
    if (!(check_a_ op check_b_))                                                               \
      ::convoy::detail::check_failed(#a " " #op " " #b, __FILE__, __LINE__,                    \
                                     ::convoy::detail::describe_operands(check_a_, check_b_)); \
  } while (false)
#define CONVOY_CHECK_EQ(a, b) CONVOY_CHECK_OP_(==, a, b)
#define CONVOY_CHECK_LT(a, b) CONVOY_CHECK_OP_(<, a, b)
#define CONVOY_CHECK_LE(a, b) CONVOY_CHECK_OP_(<=, a, b)
