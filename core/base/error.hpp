#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace convoy {

// Process exit codes, the ones scripts may rely on.
enum class ExitCode : int {
  kOk = 0,
  kFailed = 1,
  kUsage = 2,
  kUnavailable = 3,  // environment, device or plug-in missing or unusable
  kThreshold = 4,
  kNumerical = 5,  // NaN or infinity where a number belongs
  kTimeout = 6,    // deadline passed or peer lost
  kInterrupted = 130,
  kTerminated = 143,
};

// Something a user can fix. The text says what failed, the value, the likely cause and what to do
// next; the code becomes the exit status of the program.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& text) : std::runtime_error(text), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

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

// Broken invariants: a defect in convoy, not in its input. Aborts the run with both operands.
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
