#pragma once

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

namespace convoy {

// For a child after fork(): the kernel kills it when its parent ends. Ends it at once where
// `parent` has ended before, of which no signal comes. Allocates nothing.
inline void end_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
}

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

}  // namespace convoy
