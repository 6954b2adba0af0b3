#pragma once

#include <stdexcept>
#include <string>

namespace convoy {

// Exit codes of the process; scripts may rely on them.
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

// A failure that a user can fix. The text says what failed, the value, the likely cause and what to
// do next; the code is the exit status of the program.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& text) : std::runtime_error(text), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace convoy
