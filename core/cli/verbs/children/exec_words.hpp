#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/process/last_words.hpp"

namespace convoy::cli {

// Arguments or variables in the form that exec() and posix_spawn() take.
class ExecWords {
 public:
  explicit ExecWords(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  ExecWords(const ExecWords&) = delete;
  ExecWords& operator=(const ExecWords&) = delete;

  char** data() { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

// Replaces this process, a child after fork(), by the program. If that fails, says why on standard
// error and exits with kUnavailable. Allocates nothing.
[[noreturn]] inline void execute(const char* program, ExecWords& words, char** variables) {
  ::execve(program, words.data(), variables);
  const char* const advice =
      errno == E2BIG ? "; shorten the command line, its flag file's words too, or the environment\n"
                     : "; check that it exists and is executable\n";
  const char* const reason = std::strerror(errno);
  for (const char* const part :
       {"convoy: error: ", program, " cannot be started for a run of its own: ", reason, advice})
    say_at_once(part);
  ::_exit(static_cast<int>(ExitCode::kUnavailable));
}

}  // namespace convoy::cli
