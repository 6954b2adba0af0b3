#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

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

// Makes this process, a child after fork(), run the program, or says on standard error why not and
// ends it with code 127. Allocates nothing.
[[noreturn]] inline void execute(const char* program, ExecWords& words, ExecWords& variables) {
  ::execve(program, words.data(), variables.data());
  const char* reason = std::strerror(errno);
  const ssize_t written = ::write(STDERR_FILENO, reason, std::strlen(reason));
  static_cast<void>(written);
  ::_exit(127);
}

}  // namespace convoy::cli
