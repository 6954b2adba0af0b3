#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace convoy {

// One line of progress that overwrites itself, for people watching a terminal. Rate limited, and
// silent unless enabled, so that a log file never fills with it. The line is erased when the object
// goes or before other output (`clear`).
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(std::ostream& out, bool enabled,
           Clock::duration interval = std::chrono::milliseconds(200));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows "what done/total  note  time left", unless the last change is less than the interval ago.
  void update(std::string_view what, std::int64_t done, std::int64_t total, std::string_view note,
              Clock::time_point now = Clock::now());
  void clear();

 private:
  std::ostream& out_;
  bool enabled_;
  Clock::duration interval_;
  Clock::time_point shown_at_{};
  Clock::time_point started_at_{};
  std::string what_;
  bool visible_ = false;
};

// Whether standard error is a terminal that can overwrite a line.
bool standard_error_is_terminal();

}  // namespace convoy
