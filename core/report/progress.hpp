#pragma once

#include <chrono>
#include <ostream>
#include <string>

namespace convoy::report {

// A progress line that rewrites itself. It writes nothing unless it is enabled, so logs and pipes
// stay clean.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // enabled: usually standard_error_is_terminal(). At most one update per interval is shown. A text
  // is cut so that the line fits into `columns`; 0: the current width of the terminal.
  Progress(std::ostream& out, bool enabled,
           Clock::duration interval = std::chrono::milliseconds(200), std::size_t columns = 0);
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
  std::size_t columns_;
  Clock::time_point next_;
  bool visible_ = false;
};

// Returns whether standard error is a terminal that can rewrite a line: TERM is not "dumb".
bool standard_error_is_terminal();

// Returns a remaining time: "12 s", "3 min 20 s", "2 h 05 min".
std::string duration_text(double seconds);

}  // namespace convoy::report
