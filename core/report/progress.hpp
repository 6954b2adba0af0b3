#pragma once

#include <chrono>
#include <ostream>
#include <string>

namespace convoy {

// One line that rewrites itself, for a person who watches. Writes nothing when it is not enabled,
// so logs and pipes stay clean.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // enabled: usually standard_error_is_terminal(). At most one update per interval is shown.
  Progress(std::ostream& out, bool enabled,
           Clock::duration interval = std::chrono::milliseconds(200));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& text, Clock::time_point now = Clock::now());
  // Removes the line. To be called before anything else is printed to the same terminal.
  void clear();

 private:
  std::ostream& out_;
  bool enabled_;
  Clock::duration interval_;
  Clock::time_point next_;
  bool visible_ = false;
};

bool standard_error_is_terminal();

}  // namespace convoy
