#pragma once

#include <string>
#include <utility>
#include <vector>

namespace convoy {

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
