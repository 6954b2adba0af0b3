#include "core/report/progress.hpp"

#include <unistd.h>

namespace convoy {
namespace {

constexpr const char* kReturnAndErase = "\r\033[K";

}  // namespace

Progress::Progress(std::ostream& out, bool enabled, Clock::duration interval)
    : out_(out), enabled_(enabled), interval_(interval), next_(Clock::time_point::min()) {}

Progress::~Progress() {
  clear();
}

void Progress::show(const std::string& text, Clock::time_point now) {
  if (!enabled_ || now < next_) return;
  next_ = now + interval_;
  visible_ = true;
  out_ << kReturnAndErase << text << std::flush;
}

void Progress::clear() {
  if (!visible_) return;
  visible_ = false;
  out_ << kReturnAndErase << std::flush;
}

bool standard_error_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

}  // namespace convoy
